/** What has to be allowed before one user acts as another. */
import { dns1123Label, dns1123Subdomain } from '../../../api/validation/name-rules.ts';
import type { RequestInfo } from '../../../meta/request-info.ts';
import type { WantedUser } from './wanted-user.ts';

/** A question to the authorizer. */
export interface Check {
  readonly info: RequestInfo;
  /** It is refused without being asked, for this reason. */
  readonly refusal?: string;
  /** Where it is allowed so many that follow are not asked; where not, they are. */
  readonly covers?: number;
}

export interface CheckedAs {
  readonly verb: string;
  /** The API group of user attributes. */
  readonly group: string;
  /** The path that was asked for. */
  readonly path: string;
  /** One of the modes that only allow what they name; the other is as old as impersonation itself. */
  readonly isConstrained: boolean;
}

type Target = Pick<RequestInfo, 'apiGroup' | 'namespace' | 'resource' | 'subresource' | 'name'>;

/** From so many on, whether all are allowed is asked first, in modes of today. */
const many = 4;
const masters = 'system:masters';

/** The questions for each attribute of the wanted user, in the order in which they are asked. */
export function checksOf(wanted: WantedUser, as: CheckedAs): Check[] {
  return [
    { info: infoOf(nameTarget(wanted.name, as), as) },
    ...(wanted.uid === '' ? [] : [{ info: infoOf(attribute('uids', wanted.uid, as), as) }]),
    ...groupChecks(wanted.groups, as),
    ...extraChecks(wanted.extra, as),
  ];
}

function nameTarget(user: string, as: CheckedAs): Target {
  const [account, node] = [accountIn(user), as.isConstrained ? nodeIn(user) : undefined];
  if (account) return { ...nameAttribute('serviceaccounts', account.name, as), namespace: account.namespace };
  return node === undefined ? nameAttribute('users', user, as) : nameAttribute('nodes', node, as);
}

function groupChecks(groups: readonly string[], as: CheckedAs): Check[] {
  const checkOf = (group: string): Check => ({ info: infoOf(nameAttribute('groups', group, as), as) });
  const checks = groups.map(checkOf);
  if (!as.isConstrained) return checks;
  if (groups.includes(''))
    return [{ ...checkOf(''), refusal: 'impersonating the empty string group is not allowed' }];
  if (groups.includes(masters))
    return [{ ...checkOf(masters), refusal: `impersonating the ${masters} group is not allowed` }];
  return groups.length < many ? checks : [{ ...checkOf('*'), covers: checks.length }, ...checks];
}

function extraChecks(extra: WantedUser['extra'], as: CheckedAs): Check[] {
  const checkOf = (key: string, value: string): Check => ({
    info: infoOf({ ...attribute('userextras', value, as), subresource: key }, as),
  });
  const checks = Object.entries(extra).flatMap(([key, values]) => values.map((value) => checkOf(key, value)));
  if (!as.isConstrained) return checks;
  const [problem] = Object.entries(extra).flatMap(([key, values]) => extraProblems(key, values));
  if (problem !== undefined) return [{ ...checkOf('', ''), refusal: problem }];
  return checks.length < many ? checks : [{ ...checkOf('*', '*'), covers: checks.length }, ...checks];
}

const pathOfKey = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Modes of today take no extra that an authenticator could not give. */
function extraProblems(key: string, values: readonly string[]): string[] {
  if (key === '') return ['impersonating the empty string key in extra is not allowed'];
  const slash = key.indexOf('/');
  const isPrefixed = slash > 0 && pathOfKey.test(key.slice(slash + 1));
  if (!isPrefixed || dns1123Subdomain(key.slice(0, slash)).length > 0)
    return [
      `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(key)}: ` +
        'must be a domain-prefixed path (such as "acme.io/foo")',
    ];
  if (key !== key.toLowerCase())
    return [`impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`];
  return values.includes('') ? ['impersonating the empty string value in extra is not allowed'] : [];
}

/** Names and groups are of the core group, in the old mode. */
function nameAttribute(resource: string, name: string, as: CheckedAs): Target {
  return { ...attribute(resource, name, as), apiGroup: as.isConstrained ? as.group : '' };
}

function attribute(resource: string, name: string, { group }: CheckedAs): Target {
  return { apiGroup: group, namespace: '', resource, subresource: '', name };
}

function infoOf(target: Target, { verb, path }: CheckedAs): RequestInfo {
  return { isResourceRequest: true, path, verb, apiPrefix: '', apiVersion: 'v1', parts: [], ...target };
}

/** The service account that the name is of; undefined: it is no name of one. */
export function accountIn(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  const isName = dns1123Label(namespace).length === 0 && dns1123Subdomain(name).length === 0;
  return isName ? { namespace, name } : undefined;
}

const nodePrefix = 'system:node:';

/** The node that the name is of; undefined: it is no name of one. */
export function nodeIn(user: string): string | undefined {
  const name = user.startsWith(nodePrefix) ? user.slice(nodePrefix.length) : '';
  return dns1123Subdomain(name).length === 0 ? name : undefined;
}
