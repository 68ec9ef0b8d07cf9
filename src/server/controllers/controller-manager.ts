/** The controller manager: runs the enabled controllers in this process while it holds the leader election lease. */
import { hostname } from 'node:os';
import type { Environment } from '../../base/environment.ts';
import { createClusterRoleAggregation } from '../../controllers/cluster-role-aggregation/cluster-role-aggregation-controller.ts';
import { createTokenCleaner } from '../../controllers/bootstrap-token/token-cleaner.ts';
import { createBootstrapSigner } from '../../controllers/bootstrap-token/bootstrap-signer.ts';
import { namespaces } from '../../controllers/core-resources.ts';
import { createGarbageCollector } from '../../controllers/garbage-collector/garbage-collector.ts';
import { electLeader } from '../../controllers/leader-election.ts';
import { createNamespaceController } from '../../controllers/namespace/namespace-controller.ts';
import {
  createPolicyStatusController,
  type PolicyStatusOptions,
} from '../../controllers/policy-status-controller.ts';
import { createResourceQuotaController } from '../../controllers/resource-quota-controller.ts';
import { createRootCaPublisher } from '../../controllers/root-ca-publisher.ts';
import { createServiceAccountTokenController } from '../../controllers/service-account-token/tokens-controller.ts';
import { createTokenSecretCleaner } from '../../controllers/service-account-token/token-secret-cleaner.ts';
import type { ServiceAccountTokenOptions } from '../../controllers/service-account-token/tokens-controller-options.ts';
import { createClaimProtection } from '../../controllers/storage-protection/pvc-protection.ts';
import { createVolumeProtection } from '../../controllers/storage-protection/pv-protection.ts';
import { createServiceCidrController } from '../../controllers/service-cidr-controller.ts';
import { createServiceAccountController } from '../../controllers/service-account-controller.ts';
import type {
  ApiClient,
  Controller,
  ControllerLog,
  ControllerMetrics,
  ResourceRef,
} from '../../controllers/types.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { controllersLease, type ControllerName } from '../../controllers/controller-names.ts';

export interface ControllerManagerOptions extends Environment {
  readonly client: ApiClient;
  readonly naming: NamingProfile;
  readonly names: ReadonlySet<ControllerName>;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
  /** How long tokens of Secrets may be unused. */
  readonly unusedTokensMs: number;
  /** Absent if neither tokens nor the CA bundle are provided. */
  readonly accounts?: AccountProvision | undefined;
  /** Absent where no policies are served, and in a process that has no types of custom resources. */
  readonly policyTypes?: Pick<PolicyStatusOptions, 'policies' | 'checkTypes'> | undefined;
  /** Feature gates of the server; absent where they are not known: as its release has them. */
  readonly isFeatureEnabled?: ((gate: string) => boolean) | undefined;
  /** The version in which ServiceCIDRs are served; absent where that is not known, or nothing is. */
  readonly serviceCidrVersion?: string | undefined;
}

/** What service accounts and namespaces get. */
export interface AccountProvision {
  /** PEM. */
  readonly rootCa: string;
  /** undefined without a signing key. */
  readonly makeToken: ServiceAccountTokenOptions['makeToken'] | undefined;
}

/** Resolves when the signal is aborted, every controller has stopped and the lease is released. */
export async function runControllers(options: ControllerManagerOptions, signal: AbortSignal): Promise<void> {
  const { client, naming, log, metrics, clock, random } = options;
  const controllers = createControllers(options);
  if (controllers.length === 0) return;
  await electLeader(
    {
      ...{ client, log, metrics, clock, random },
      leases: leasesOf(naming),
      namespace: systemNamespace(naming),
      leaseName: controllersLease,
      identity: `${hostname()}_${String(process.pid)}_${random.uuid()}`,
      lead: (term) => runAll(controllers, term),
    },
    signal,
  );
}

/**
 * Runs until the signal is aborted or a controller fails, which stops all.
 * @throws the first error
 */
async function runAll(controllers: readonly Controller[], term: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([term, ending.signal]);
  const failures: unknown[] = [];
  const run = async (controller: Controller): Promise<void> => {
    try {
      await controller.run(signal);
    } catch (error) {
      failures.push(error);
      ending.abort();
    }
  };
  await Promise.all(controllers.map(run));
  if (failures.length > 0) throw failures[0];
}

function createControllers(options: ControllerManagerOptions): Controller[] {
  const { client, naming, log, metrics, clock, random } = options;
  const frame = { client, log, metrics, clock, random };
  const makers: Readonly<Record<ControllerName, () => Controller | undefined>> = {
    namespace: () =>
      createNamespaceController({
        ...frame,
        namespaces,
        podsFirst: options.isFeatureEnabled?.('OrderedNamespaceDeletion'),
        finalizers: [naming.namespaceFinalizer, ...naming.formerNamespaceFinalizers],
      }),
    // Events have no owners or dependents; following them would be the main cost.
    garbagecollector: () =>
      createGarbageCollector({
        ...frame,
        ignored: new Set(['/events', `events.${naming.apiDomain}/events`]),
      }),
    'clusterrole-aggregation': () =>
      createClusterRoleAggregation({ ...frame, clusterRoles: clusterRolesOf(naming) }),
    serviceaccount: () => createServiceAccountController(frame),
    'serviceaccount-token': () => accountTokens(options),
    'root-ca-cert-publisher': () => rootCaPublisher(options),
    resourcequota: () => createResourceQuotaController({ ...frame, naming }),
    'pvc-protection': () => createClaimProtection({ ...frame, naming }),
    'pv-protection': () => createVolumeProtection({ ...frame, naming }),
    'validatingadmissionpolicy-status': () =>
      options.policyTypes && createPolicyStatusController({ ...frame, ...options.policyTypes }),
    'service-cidr-controller': () => serviceCidrs(options),
    'legacy-service-account-token-cleaner': () =>
      createTokenSecretCleaner({
        ...{ ...frame, naming, periodMs: options.unusedTokensMs },
        isEnabled: options.isFeatureEnabled?.('LegacyServiceAccountTokenCleanUp'),
      }),
    bootstrapsigner: () => createBootstrapSigner({ ...frame, naming }),
    tokencleaner: () => createTokenCleaner({ ...frame, naming }),
  };
  return [...options.names].map((name) => makers[name]()).filter((controller) => controller !== undefined);
}

function accountTokens({
  accounts,
  naming,
  isFeatureEnabled,
  ...frame
}: ControllerManagerOptions): Controller | undefined {
  if (!accounts?.makeToken) return undefined;
  const { rootCa, makeToken } = accounts;
  const { labelDomain } = naming;
  return createServiceAccountTokenController({
    ...frame,
    secretType: `${labelDomain}/service-account-token`,
    nameAnnotation: `${labelDomain}/service-account.name`,
    uidAnnotation: `${labelDomain}/service-account.uid`,
    createsSecrets: isFeatureEnabled && !isFeatureEnabled('LegacyServiceAccountTokenNoAutoGeneration'),
    rootCa,
    makeToken,
  });
}

/** None where the server is known to serve no ranges. */
function serviceCidrs(options: ControllerManagerOptions): Controller | undefined {
  const { isFeatureEnabled, serviceCidrVersion: version, ...frame } = options;
  const isOff = isFeatureEnabled?.('MultiCIDRServiceAllocator') === false;
  const isUnserved = isFeatureEnabled !== undefined && version === undefined;
  return isOff || isUnserved ? undefined : createServiceCidrController({ ...frame, version });
}

function rootCaPublisher({ accounts, naming, ...frame }: ControllerManagerOptions): Controller | undefined {
  if (!accounts) return undefined;
  const configMapName = `${naming.systemPrefix}-root-ca.crt`;
  return createRootCaPublisher({ ...frame, configMapName, rootCa: accounts.rootCa });
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function leasesOf(naming: NamingProfile): ResourceRef {
  const group = `coordination.${naming.apiDomain}`;
  return { group, version: 'v1', resource: 'leases', kind: 'Lease', namespaced: true, verbs: allVerbs };
}

function clusterRolesOf(naming: NamingProfile): ResourceRef {
  const group = `rbac.authorization.${naming.apiDomain}`;
  const [resource, kind] = ['clusterroles', 'ClusterRole'];
  return { group, version: 'v1', resource, kind, namespaced: false, verbs: allVerbs };
}
