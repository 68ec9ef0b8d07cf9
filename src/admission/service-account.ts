/**
 * ServiceAccount: a pod runs as an account of its namespace (`default` where it names none), which must be there. The
 * pod gets the account's pull secrets, and a volume with a token, the authority and the namespace where it wants one.
 */
import { secretNames } from '../api/core/pod/references.ts';
import type {
  Container,
  Pod as PodFields,
  PodSpec,
  ServiceAccount as AccountFields,
  Volume,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { Environment } from '../base/environment.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { pause } from '../base/pause.ts';
import { randomLetters, type Random } from '../base/random.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { enforcesMountableSecrets, findUnmountableSecret } from './mountable-secrets.ts';
import { find, type ObjectReader } from './object-reader.ts';

type Pod = Stored<PodFields>;
type Account = Stored<AccountFields>;

const collection = 'core/serviceaccounts';
const defaultAccount = 'default';
/** The account `default` comes a moment after its namespace: so often, and so far apart, it is looked for. */
const lookups = 10;
const pauseMs = 100;
/** Longer than an hour by a bit, which shows clients that refresh tokens that this is the default. */
const tokenSeconds = 3607;

/** The file mode of volumes that say nothing else: rw-r--r--. */
const fileMode = 0o644;

export function createServiceAccountPlugin(
  reader: ObjectReader,
  naming: NamingProfile,
  environment: Environment,
): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    admit(attributes): MaybePromise<void> {
      if (!isCreationOf(attributes, 'pods')) return;
      const pod = attributes.object as Pod;
      // What runs on a node without the service's doing has no account; see `validate`.
      if (!isMirror(pod, naming)) return setServiceAccount(reader, attributes, pod);
    },
    validate(attributes): MaybePromise<void> {
      if (!isCreationOf(attributes, 'pods')) return;
      if (!isMirror(attributes.object as Pod, naming))
        return assertAccount({ reader, naming, environment }, attributes);
      assertPlainMirror(attributes);
    },
  };

  async function setServiceAccount(
    from: ObjectReader,
    attributes: AdmissionAttributes,
    pod: Pod,
  ): Promise<void> {
    const spec = (pod.spec ??= {});
    const name = spec.serviceAccountName ?? '';
    spec.serviceAccountName = name === '' ? defaultAccount : name;
    // The older name of the same field.
    spec.serviceAccount = spec.serviceAccountName;
    const account = await findAccount({ reader: from, environment }, attributes, spec.serviceAccountName);
    if (automountsToken(spec, account)) mountToken(spec, naming, environment.random);
    if ((spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets?.length)
      spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
  }
}

interface AccountParts {
  readonly reader: ObjectReader;
  readonly environment: Environment;
}

/** @throws StatusError 403 */
async function findAccount(
  { reader, environment: { clock } }: AccountParts,
  { scope, name: podName }: AdmissionAttributes,
  name: string,
): Promise<Account> {
  const key = `${scope.namespace}/${name}`;
  for (let lookup = 1; ; lookup += 1) {
    const account = await find(reader, collection, key, scope.signal);
    if (account) return account;
    if (name !== defaultAccount || lookup === lookups) break;
    await pause(clock, pauseMs, scope.signal);
    scope.signal.throwIfAborted();
  }
  const problem = `error looking up service account ${key}: serviceaccount "${name}" not found`;
  throw forbidden(scope.resource.gvr, podName, problem);
}

/** The pod's field takes precedence over the account's; the default is true (`automountServiceAccountToken`). */
function automountsToken(spec: PodSpec, account: Account): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

function mountToken(spec: PodSpec, naming: NamingProfile, random: Random): void {
  const mountPath = `/var/run/secrets/${naming.labelDomain}/serviceaccount`;
  const prefix = `${naming.systemPrefix}-api-access-`;
  const known = spec.volumes?.find((volume) => volume.name?.startsWith(prefix));
  const name = known?.name ?? prefix + randomLetters(random, letters, 5);
  const bare = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    (container) => !mountsAt(container, mountPath),
  );
  for (const container of bare)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  if (bare.length > 0 && !known) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name, naming)];
}

function mountsAt(container: Container, mountPath: string): boolean {
  return container.volumeMounts?.some((mount) => mount.mountPath === mountPath) ?? false;
}

/** Without vowels and look-alikes, as generated names have them. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

function tokenVolume(name: string, naming: NamingProfile): Volume {
  const authority = 'ca.crt';
  const namespace = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        {
          configMap: {
            name: `${naming.systemPrefix}-root-ca.crt`,
            items: [{ key: authority, path: authority }],
          },
        },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: namespace }] } },
      ],
      defaultMode: fileMode,
    },
  };
}

/** What others made of the pod since may name another account. @throws StatusError 403 */
async function assertAccount(
  { naming, ...parts }: AccountParts & { readonly naming: NamingProfile },
  attributes: AdmissionAttributes,
): Promise<void> {
  const { object, scope, name } = attributes;
  const spec = (object as Pod).spec ?? {};
  const accountName = spec.serviceAccountName ?? '';
  const forbid = (problem: string): Error => forbidden(scope.resource.gvr, name, problem);
  if (accountName === '') throw forbid(`no service account specified for pod ${scope.namespace}/${name}`);
  const account = await findAccount(parts, attributes, accountName);
  const problem = enforcesMountableSecrets(account, naming)
    ? findUnmountableSecret(spec, account)
    : undefined;
  if (problem !== undefined) throw forbid(problem);
}

function isMirror(pod: Pod, { labelDomain }: NamingProfile): boolean {
  return pod.metadata.annotations?.[`${labelDomain}/config.mirror`] !== undefined;
}

/** @throws StatusError 403 */
function assertPlainMirror({ object, scope, name }: AdmissionAttributes): void {
  const spec = (object as Pod).spec ?? {};
  const { serviceAccountName = '', volumes } = spec;
  const projectsToken = ({ projected }: Volume): boolean =>
    projected?.sources?.some((source) => source.serviceAccountToken) ?? false;
  if (serviceAccountName !== '')
    throw forbidden(scope.resource.gvr, name, 'a mirror pod may not reference service accounts');
  if (secretNames(spec).length > 0)
    throw forbidden(scope.resource.gvr, name, 'a mirror pod may not reference secrets');
  if (volumes?.some(projectsToken))
    throw forbidden(
      scope.resource.gvr,
      name,
      'a mirror pod may not use ServiceAccountToken volume projections',
    );
}
