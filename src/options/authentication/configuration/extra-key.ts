/** Keys of extra attributes: a domain and a path, such as `example.com/tenant` (kube-apiserver: validation of apiserver.config). */
import type { NamingProfile } from '../../../meta/naming.ts';
import { dns1123Subdomain } from '../../../api/validation/name-rules.ts';

const path = /^[a-z0-9/_.~!$&'()*+,;=:@%-]+$/;

/** What is wrong with a key. */
export function extraKeyProblems(
  key: string,
  { apiDomain, labelDomain }: Pick<NamingProfile, 'apiDomain' | 'labelDomain'>,
): string[] {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? key : key.slice(0, slash);
  const problems: string[] = [];
  if (key !== key.toLowerCase()) problems.push('key must be lowercase');
  if (slash < 0 || !path.test(key.slice(slash + 1).toLowerCase()))
    problems.push('must be a domain-prefixed path (such as "acme.io/foo")');
  problems.push(...dns1123Subdomain(domain.toLowerCase()).map((problem) => `domain: ${problem}`));
  // The service's own extras are below this domain.
  for (const reserved of new Set([apiDomain, labelDomain]))
    if (domain === reserved || domain.endsWith(`.${reserved}`))
      problems.push(`${reserved} and domains below it are reserved`);
  return problems;
}
