/** Builds the authorizers and the escalation check, which also uses the RBAC policy. */
import { createAbacAuthorizer } from '../../authz/abac/abac-authorizer.ts';
import { createAlwaysAllow, createAlwaysDeny } from '../../authz/always.ts';
import { createPrivilegedGroupAuthorizer } from '../../authz/privileged-group-authorizer.ts';
import { createAlwaysAllowPathsAuthorizer } from '../../authz/always-allow-paths-authorizer.ts';
import { createNodeAuthorizer } from '../../authz/node/node-authorizer.ts';
import { NodeGraph } from '../../authz/node/node-graph.ts';
import {
  startNodeInformer,
  type FollowedKinds,
  type NodeInformer,
  type ObserveGraph,
} from '../../authz/node/node-informer.ts';
import { withEscalationCheck } from '../../authz/rbac/escalation.ts';
import { startRbacInformer } from '../../authz/rbac/rbac-informer.ts';
import type { ReadRoles } from '../../authz/rbac/policy-index.ts';
import { rbacGroup } from '../../authz/rbac/policy-objects.ts';
import { createRbacAuthorizer } from '../../authz/rbac/rbac-authorizer.ts';
import type { Authorizer, RuleAuthorizer } from '../../authz/types.ts';
import { createUnionAuthorizer } from '../../authz/union-authorizer.ts';
import type { Environment } from '../../base/environment.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { countRequests, type ClientFamilies } from '../../observe/client-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import { createAuthorizationMetrics } from '../../observe/authorization-metrics.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { RepeatedLines } from '../../observe/repeated-lines.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import { translated } from '../../registry/storage-errors.ts';
import type { AdmissionChain } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { PlainAuthorizerType } from '../../authz/webhook/configured-authorizers.ts';
import { createWebhook, type Webhook } from './authorization-webhook.ts';
import { countedAuthorizer } from './counted-authorizer.ts';
import { StructuredAuthorizers, type StructuredParts } from './structured-authorizers.ts';

export interface Authorization {
  readonly authorizer: RuleAuthorizer;
  /** Resolves when the stored roles and bindings, and what nodes need, are loaded. */
  readonly loaded: Promise<void>;
  /** Adds the checks that no flag can disable to the admission chain. */
  guarded(chain: AdmissionChain): AdmissionChain;
  /** Replaces the address and credentials of the webhook. */
  use(credentials: Pick<Credentials, 'webhooks' | 'structuredAuthorization'>): void;
  close(): void;
}

export interface AuthorizationParts {
  readonly environment: Environment;
  readonly credentials: Pick<Credentials, 'webhooks' | 'structuredAuthorization'>;
  readonly naming: NamingProfile;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly storage: Pick<Storage, 'watch' | 'snapshot'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly serverMetrics: ClientFamilies & Pick<ServerMetrics, 'nodeGraphDuration'>;
  /**
   * Whether requests are authorized here. Elsewhere, in write threads, only questions about roles, policies and signers
   * are asked, which need no graph of nodes.
   */
  readonly authorizesRequests: boolean;
  /** As that of the index of policy. */
  readonly readRoles?: ReadRoles | undefined;
}

/** Starts to follow the policy; the caller closes it before the storage. */
export function buildAuthorization(config: CompletedConfig, parts: AuthorizationParts): Authorization {
  const { environment, naming, storage } = parts;
  const logger = parts.logger.child({ component: 'authz' });
  const warn = (details: object, message: string): void => logger.warn(message, { ...details });
  const group = rbacGroup(naming);
  // Followed in every authorization mode, for the escalation check.
  const policy = startRbacInformer({ ...environment, storage, group, warn, readRoles: parts.readRoles });
  const rbac = createRbacAuthorizer(policy.index, group);
  const nodes = config.authorization.modes.includes('Node') ? nodeInformer(parts, warn) : undefined;
  const access = parts.credentials.webhooks.authorization;
  const onSent = countRequests(parts.serverMetrics);
  const failures = new RepeatedLines({ clock: environment.clock, logger, keyOf: () => '' });
  const warnOfWebhook = (details: object, message: string): void => failures.warn(message, { ...details });
  const passesSelectors = parts.isFeatureEnabled('AuthorizeWithSelectors');
  const readsSelectors = passesSelectors && parts.isFeatureEnabled('AuthorizeNodeWithSelectors');
  const { isFeatureEnabled } = parts;
  const follows = followedKinds(isFeatureEnabled);
  const served = { minor: config.emulatedRelease.minor, isFeatureEnabled };
  const asking = { environment, naming, passesSelectors, warn: warnOfWebhook, onSent };
  const webhook = createWebhook(config, { ...asking, access });
  const plain: Readonly<Record<PlainAuthorizerType, () => Authorizer[]>> = {
    Node: () =>
      nodes ? [createNodeAuthorizer(nodes.graph, naming, { readsSelectors, follows, served })] : [],
    RBAC: () => [rbac],
    ABAC: () => [createAbacAuthorizer(config.files.authorizationPolicies)],
    AlwaysAllow: () => [createAlwaysAllow()],
    AlwaysDeny: () => [createAlwaysDeny()],
  };
  const metrics = createAuthorizationMetrics(parts.metrics);
  const structured = new StructuredAuthorizers({ ...asking, plain, metrics });
  const { structuredAuthorization } = parts.credentials;
  if (structuredAuthorization) structured.use(structuredAuthorization);
  const authorizer = createUnionAuthorizer([
    createPrivilegedGroupAuthorizer(),
    createAlwaysAllowPathsAuthorizer(),
    ...(structuredAuthorization ? [structured] : authorizersOf(config, { plain, webhook, metrics })),
  ]);
  const rulesOf: Parameters<typeof withEscalationCheck>[1]['rulesOf'] = (roleRef, namespace) =>
    policy.index.rulesOf(roleRef, namespace)?.list;
  const asked = { resource: { group, resource: 'roles' }, name: '' };
  const catchUp = (signal: AbortSignal): Promise<void> => translated(asked, () => policy.catchUp(signal));
  const check = { group, authorizer, rbac, rulesOf, catchUp };
  return {
    authorizer,
    loaded: Promise.all([policy.loaded, nodes?.loaded]).then(() => undefined),
    guarded: (chain) => withEscalationCheck(chain, check),
    use: ({ webhooks, structuredAuthorization: next }) => {
      if (next) structured.use(next);
      if (webhooks.authorization) webhook?.use(webhooks.authorization);
    },
    close: () => {
      policy.close();
      nodes?.close();
      webhook?.close();
      structured.close();
      failures.close();
    },
  };
}

/** Those of `--authorization-mode`, in its order. */
function authorizersOf(
  { authorization: { modes } }: CompletedConfig,
  parts: Pick<StructuredParts, 'plain' | 'metrics'> & { readonly webhook: Webhook | undefined },
): Authorizer[] {
  const { plain, webhook, metrics } = parts;
  return modes.flatMap((type) => {
    const authorizers = type === 'Webhook' ? [webhook?.authorizer ?? []].flat() : plain[type]();
    return authorizers.map((one) => countedAuthorizer(one, { type }, metrics));
  });
}

function followedKinds(isFeatureEnabled: (gate: string) => boolean): FollowedKinds {
  return {
    claims: isFeatureEnabled('DynamicResourceAllocation'),
    podCertificates: isFeatureEnabled('PodCertificateRequest'),
  };
}

function nodeInformer(
  { environment, storage, naming, authorizesRequests, serverMetrics, isFeatureEnabled }: AuthorizationParts,
  warn: (details: object, message: string) => void,
): NodeInformer {
  const observe: ObserveGraph = (operation, seconds) =>
    serverMetrics.nodeGraphDuration.series({ operation }).observe(seconds);
  const follows = followedKinds(isFeatureEnabled);
  if (authorizesRequests)
    return startNodeInformer({ ...environment, storage, naming, warn, observe, follows });
  return { graph: new NodeGraph(), loaded: Promise.resolve(), close: () => undefined };
}
