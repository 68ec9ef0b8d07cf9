/** The file of `--authorization-config`, with the kubeconfig files of its webhooks. */
import type { ConfiguredAuthorization } from '../authz/webhook/configured-authorizers.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import type { AccessConfig } from './access-options.ts';
import { readAuthorizers, type ReadAuthorizer } from './authorization-configuration.ts';
import type { AuthorizationMode } from './authorization-options.ts';
import type { FileCheck } from './file-check.ts';
import { YamlFile } from './yaml-file.ts';

export type StructuredAuthorization = ConfiguredAuthorization<ConfiguredWebhook>;

const flag = '--authorization-config';

/** undefined without a file; errors are added to those of `check`. */
export async function readAuthorizationFile(
  { authorizationFile, minor }: AccessConfig,
  { apiDomain }: NamingProfile,
  check: FileCheck,
): Promise<StructuredAuthorization | undefined> {
  const read = await check.parsedInPart(authorizationFile, {
    ...{ flag, code: 'AUTHORIZATION_INVALID' as const },
    parse: (text) => {
      const file = new YamlFile(text);
      return { value: readAuthorizers(file, { apiDomain, minor }), errors: file.errors };
    },
  });
  if (!read) return undefined;
  const authorizers: StructuredAuthorization['authorizers'][number][] = [];
  for (const one of read) {
    const access = one.type === 'Webhook' ? await check.webhook(one.access, flag) : undefined;
    if (one.type !== 'Webhook') authorizers.push(one);
    else if (access) authorizers.push({ ...one, access });
  }
  return { authorizers, minor };
}

/** ABAC among the authorizers and the file of its policies require each other. Errors are added to those of `check`. */
export function checkPolicyFile(
  authorizers: StructuredAuthorization | undefined,
  policyFile: string,
  check: FileCheck,
): void {
  if (!authorizers || modesOf(authorizers).includes('ABAC') === (policyFile !== '')) return;
  const [given, missing] = [`${flag} with ABAC`, '--authorization-policy-file'];
  const [cause, remedy] = policyFile === '' ? [given, missing] : [missing, given];
  check.report([
    { code: 'FLAG_COMBINATION', cause: `${cause} is given without ${remedy}`, remedy: `give ${remedy} too` },
  ]);
}

/** What authorizes, in order; webhooks are one mode. */
export function modesOf({
  authorizers,
}: {
  readonly authorizers: readonly Pick<ReadAuthorizer, 'type'>[];
}): AuthorizationMode[] {
  return [...new Set(authorizers.map(({ type }) => type))];
}
