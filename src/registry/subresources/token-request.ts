/** `serviceaccounts/token`: issues a service account token (authentication/v1 TokenRequest). Nothing is stored. */
import type { TokenRequest } from '../../api/authentication/v1.types.ts';
import { toNumber } from '../../api/validation/rules.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { writesZeroTime } from '../../codec/watch-frame.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest, conflict, invalidObject, methodNotSupported, StatusError } from '../../meta/status.ts';
import { formatSeconds } from '../../meta/time.ts';
import { applyStaticDefaults } from '../../schema/static-defaults.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { BoundObject } from './account-tokens.ts';
import type { ActionRequest } from './action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { derivedScope } from '../derived-scope.ts';
import { readObject } from '../object-memo.ts';
import { assertUsable } from '../write/field-validation.ts';
import { getObject } from '../read/get-list.ts';
import type { RequestScope } from '../types.ts';

const shortestSeconds = 600;
const longestSeconds = 2 ** 32;

/**
 * Returns the request with its status.
 * @throws StatusError 400, 404, 405 without a signing key, 409, 422
 */
export async function requestToken(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  if (request.verb !== 'create' || !deps.tokens) throw methodNotSupported();
  const { sent, spec } = readRequest(deps, scope, request);
  const accounts = derivedScope(scope, { subresource: '' });
  const account = await storedObject(deps, accounts, request.name);
  assertSameAccount(deps, account, sent);
  const ref = spec.boundObjectRef;
  const binding = ref == null ? unbound : await bindingOf(deps, accounts, request.name, ref);
  const requested = spec.expirationSeconds ?? shortestSeconds;
  const { token, lifeSeconds, audiences, expires, id } = deps.tokens.boundToken({
    subject: { namespace: scope.namespace, account: identityOf(account), ...binding },
    audiences: spec.audiences ?? [],
    lifeSeconds: requested,
  });
  if (lifeSeconds < requested) {
    scope.warn(
      `requested expiration of ${String(requested)} seconds shortened to ${String(lifeSeconds)} seconds`,
    );
  }
  noteIssued(scope, id);
  return {
    ...sent,
    spec: { ...(sent['spec'] as JsonObject), audiences: [...audiences], expirationSeconds: lifeSeconds },
    status: { token, expirationTimestamp: formatSeconds(expires) },
  };
}

type Spec = NonNullable<TokenRequest['spec']>;

function readRequest(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, body = {} }: ActionRequest,
): { sent: JsonObject; spec: Spec } {
  const schema = scope.resource.subresourceSchema(scope.subresource);
  if (!schema) throw new Error('the schema of TokenRequest is missing');
  const gvk = {
    group: `authentication.${scope.resource.naming.apiDomain}`,
    version: 'v1',
    kind: 'TokenRequest',
  };
  const { kind = gvk.kind, apiVersion = apiVersionOf(gvk) } = body;
  if (kind !== gvk.kind || apiVersion !== apiVersionOf(gvk)) {
    throw badRequest(`the object must be a TokenRequest of ${apiVersionOf(gvk)}`);
  }
  const { value, ...found } = checkStructure(schema, body);
  assertUsable(scope, gvk, found);
  const {
    name: sentName,
    namespace: sentNamespace,
    ...metadata
  } = isObject(value['metadata']) ? value['metadata'] : {};
  assertSame('name', sentName, name);
  assertSame('namespace', sentNamespace, scope.namespace);
  const time = writesZeroTime({ schema }) ? { creationTimestamp: null } : {};
  const about = { ...metadata, name, namespace: scope.namespace, ...time };
  const head = { kind: gvk.kind, apiVersion: apiVersionOf(gvk), metadata: about };
  const sent: JsonObject = { ...head, spec: isObject(value['spec']) ? value['spec'] : {} };
  applyStaticDefaults(schema, sent, deps.isFeatureEnabled);
  const spec = sent['spec'] as Spec;
  const errors = lifeErrors(toNumber(spec.expirationSeconds ?? 0));
  if (errors.length > 0) throw invalidObject(gvk, '', errors);
  return { sent, spec };
}

function assertSame(what: string, sent: JsonValue | undefined, expected: string): void {
  if (typeof sent !== 'string' || sent === '' || sent === expected) return;
  throw badRequest(`${what} in URL (${expected}) does not match ${what} in TokenRequest object (${sent})`);
}

/** A request that names a UID is for that account, not for one that was made again under its name (release 1.34). */
function assertSameAccount(
  deps: RegistryDeps,
  { metadata }: ApiObject,
  { metadata: about }: JsonObject,
): void {
  const asked = isObject(about) ? about['uid'] : undefined;
  if (typeof asked !== 'string' || asked === '' || asked === metadata.uid) return;
  if (!deps.isFeatureEnabled('TokenRequestServiceAccountUIDValidation')) return;
  const problem = `the UID in the token request (${asked}) does not match the UID of the service account (${metadata.uid ?? ''})`;
  const of = { group: `authentication.${deps.catalogue.naming.apiDomain}`, resource: 'tokenrequests' };
  throw conflict(of, metadata.name ?? '', problem);
}

function lifeErrors(seconds: number): FieldError[] {
  const at = 'spec.expirationSeconds';
  if (seconds < shortestSeconds)
    return [invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > longestSeconds
    ? [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

async function storedObject(deps: RegistryDeps, scope: RequestScope, name: string): Promise<ApiObject> {
  const entry = await getObject(deps.storage, scope, name, { resourceVersion: '' });
  // Fresh reads share a probe, and all who wait for it would go on in its turn.
  return readObject(entry);
}

function identityOf({ metadata }: ApiObject): { name: string; uid: string } {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

/** What a token lives with, and where that runs. */
interface Binding {
  readonly bound: BoundObject | undefined;
  readonly node?: { readonly name: string; readonly uid: string };
}

const unbound: Binding = { bound: undefined };

/** The object to bind the token to: a pod must run as the service account, a node is bound to from release 1.29 on. */
async function bindingOf(
  deps: RegistryDeps,
  scope: RequestScope,
  account: string,
  ref: NonNullable<Spec['boundObjectRef']>,
): Promise<Binding> {
  const kind = kindOf(deps, ref);
  const of = objectScope(deps, scope, kind);
  const object = await storedObject(deps, of, ref.name ?? '');
  if (kind === 'Pod') assertRunsAs(object, account);
  const { name, uid } = identityOf(object);
  const expected = ref.uid ?? '';
  if (expected !== '' && expected !== uid) {
    const problem =
      `the UID in the bound object reference (${expected}) does not match the UID in record (${uid}). ` +
      'The object might have been deleted and then recreated';
    throw conflict(of.resource.gvr, name, problem);
  }
  const node = kind === 'Pod' ? await nodeOf(deps, scope, object) : undefined;
  return { bound: { kind, name, uid }, ...(node && { node }) };
}

function kindOf(
  { release, isFeatureEnabled }: RegistryDeps,
  { apiVersion = '', kind: named = '' }: NonNullable<Spec['boundObjectRef']>,
): BoundObject['kind'] {
  const known = (release?.minor ?? 0) >= firstBindingToNodes ? bindable : bindable.slice(0, -1);
  const kind = apiVersion === 'v1' ? known.find((one) => one === named) : undefined;
  if (!kind) throw badRequest(`cannot bind token to object of type ${apiVersion}, Kind=${named}`);
  if (kind === 'Node' && !isFeatureEnabled(nodeBindingGate))
    throw badRequest(
      `cannot bind token to a Node object as the "${nodeBindingGate}" feature-gate is disabled`,
    );
  return kind;
}

function objectScope(deps: RegistryDeps, scope: RequestScope, kind: BoundObject['kind']): RequestScope {
  const resource = deps.catalogue.resource('', 'v1', `${kind.toLowerCase()}s`);
  if (!resource) throw new Error(`the catalogue has no ${kind}`);
  return derivedScope(scope, kind === 'Node' ? { resource, namespace: '' } : { resource });
}

/** The node of a pod (KEP-4193), by its name alone where it does not exist; undefined: the pod has none. */
async function nodeOf(
  deps: RegistryDeps,
  scope: RequestScope,
  pod: ApiObject,
): Promise<{ name: string; uid: string } | undefined> {
  const { nodeName } = (pod['spec'] ?? {}) as { nodeName?: string | null };
  if (nodeName == null || nodeName === '') return undefined;
  if (!deps.isFeatureEnabled('ServiceAccountTokenPodNodeInfo')) return undefined;
  try {
    return identityOf(await storedObject(deps, objectScope(deps, scope, 'Node'), nodeName));
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NotFound') return { name: nodeName, uid: '' };
    throw error;
  }
}

/** The audit log says which token was issued, so that its uses can be found. */
function noteIssued({ annotate, resource }: RequestScope, id: string | undefined): void {
  if (id === undefined) return;
  annotate?.(`authentication.${resource.naming.labelDomain}/issued-credential-id`, `JTI=${id}`);
}

const nodeBindingGate = 'ServiceAccountTokenNodeBinding';
const firstBindingToNodes = 29;
const bindable = ['Pod', 'Secret', 'Node'] as const;

function assertRunsAs(pod: ApiObject, account: string): void {
  const { serviceAccountName = '' } = (pod['spec'] ?? {}) as { serviceAccountName?: string };
  if (serviceAccountName === account) return;
  throw badRequest(
    `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
  );
}
