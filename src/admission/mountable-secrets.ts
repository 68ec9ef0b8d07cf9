/** Accounts that say which Secrets their pods may use: the annotation `enforce-mountable-secrets`, and what it means. */
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  ServiceAccount as AccountFields,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';

type Account = Stored<AccountFields>;

const trueWords = ['1', 't', 'T', 'true', 'TRUE', 'True'];

/** Pods of the account use none but its own Secrets. */
export function enforcesMountableSecrets({ metadata }: Account, { labelDomain }: NamingProfile): boolean {
  return trueWords.includes(metadata.annotations?.[`${labelDomain}/enforce-mountable-secrets`] ?? '');
}

/** The first Secret that a pod of such an account may not use, in words; undefined: there is none. */
export function findUnmountableSecret(spec: PodSpec, account: Account): string | undefined {
  const own = new Set((account.secrets ?? []).map(({ name }) => name));
  const problemOf = `is not allowed because service account ${account.metadata.name ?? ''} does not reference that`;
  const used = [
    ...(spec.volumes ?? []).map(({ secret }) => ({ where: 'volume with', name: secret?.secretName })),
    ...(spec.initContainers ?? []).flatMap((one) => usedBy(one, 'init container')),
    ...(spec.containers ?? []).flatMap((one) => usedBy(one, 'container')),
    ...(spec.ephemeralContainers ?? []).flatMap((one) => usedBy(one, 'ephemeral container')),
  ];
  const secret = used.find(({ name }) => name !== undefined && !own.has(name));
  if (secret) return `${secret.where} secret.secretName="${secret.name ?? ''}" ${problemOf} secret`;
  const pulling = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const pulled = spec.imagePullSecrets ?? [];
  const at = pulled.findIndex(({ name }) => !pulling.has(name));
  return at < 0
    ? undefined
    : `imagePullSecrets[${String(at)}].name="${pulled[at]?.name ?? ''}" ${problemOf} imagePullSecret`;
}

interface Used {
  readonly where: string;
  readonly name: string | undefined;
}

function usedBy({ name = '', env, envFrom }: Container | EphemeralContainer, what: string): Used[] {
  return [
    ...(env ?? []).map((variable) => ({
      where: `${what} ${name} with envVar ${variable.name ?? ''} referencing`,
      name: variable.valueFrom?.secretKeyRef?.name,
    })),
    ...(envFrom ?? []).map(({ secretRef }) => ({
      where: `${what} ${name} with envFrom referencing`,
      name: secretRef?.name,
    })),
  ];
}
