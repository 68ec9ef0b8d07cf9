/**
 * User impersonation: each requested name, group and attribute requires the verb `impersonate` on it. Later steps see
 * only the impersonated user.
 */
import type { IncomingMessage } from 'node:http';
import type { Authorizer } from '../../authz/types.ts';
import { headerText, HeaderTextError } from '../../base/header-text.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import { badRequest } from '../../meta/status.ts';
import {
  accountGroups,
  anonymousUser,
  groupAuthenticated,
  groupUnauthenticated,
  type UserInfo,
} from '../../meta/user.ts';
import type { RequestContext } from '../request-context.ts';
import { assertAllowed } from './authorization.ts';
import type { Step } from './step.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

/** The user that the client impersonates. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** @param group the API group of user extras */
export function withImpersonation(authorizer: Authorizer, group: string): Step {
  return function impersonation(context: RequestContext): void | Promise<void> {
    if (!requestsImpersonation(context.req)) return;
    const wanted = takeHeaders(context.req);
    if (!wanted) return;
    const targets = targetsOf(wanted, group);
    return whenReady(assertEach(authorizer, context, targets), () => {
      context.impersonator = context.user;
      context.user = userOf(wanted);
    });
  };
}

function requestsImpersonation({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (name.startsWith(prefix)) return true;
  return false;
}

/**
 * Reads and removes the headers; undefined if they name no user.
 * @throws StatusError 400 for attributes without a user, and for invalid UTF-8
 */
function takeHeaders({ headers, rawHeaders }: IncomingMessage): Wanted | undefined {
  const values = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (name.startsWith(prefix)) append(values, name, textOf(rawHeaders[i + 1] ?? ''));
  }
  for (const name of values.keys()) Reflect.deleteProperty(headers, name);
  const of = (name: string): string[] => values.get(`${prefix}${name}`) ?? [];
  const extra = [...values].filter(([name]) => name.startsWith(extraPrefix));
  const wanted = {
    name: of('user')[0] ?? '',
    uid: of('uid')[0] ?? '',
    groups: of('group'),
    extra: Object.fromEntries(extra.map(([name, list]) => [extraKey(name), list])),
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && extra.length === 0) return undefined;
  throw badRequest('attributes of a user are asked for without impersonating a user');
}

function append(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name);
  if (known) known.push(value);
  else values.set(name, [value]);
}

function textOf(value: string): string {
  try {
    return headerText(value);
  } catch (error) {
    throw error instanceof HeaderTextError ? badRequest(error.message) : error;
  }
}

/** Keys are lower-case; invalid escapes are kept. */
function extraKey(name: string): string {
  const key = name.slice(extraPrefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

type Target = Pick<RequestInfo, 'apiGroup' | 'namespace' | 'resource' | 'subresource' | 'name'>;

function targetsOf({ name, uid, groups, extra }: Wanted, group: string): Target[] {
  const account = accountOf(name);
  const plain = { apiGroup: '', namespace: '', subresource: '' };
  return [
    account ? { ...plain, ...account, resource: 'serviceaccounts' } : { ...plain, resource: 'users', name },
    ...groups.map((other) => ({ ...plain, resource: 'groups', name: other })),
    ...(uid === '' ? [] : [{ ...plain, apiGroup: group, resource: 'uids', name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        ...{ ...plain, apiGroup: group, resource: 'userextras', subresource: key },
        name: value,
      })),
    ),
  ];
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** There may be a thousand targets: only those that wait for an authorizer take a promise. */
function assertEach(
  authorizer: Authorizer,
  context: RequestContext,
  targets: readonly Target[],
  first = 0,
): MaybePromise<void> {
  for (let i = first; i < targets.length; i += 1) {
    const checked = assertMay(authorizer, context, targets[i]);
    if (checked) return checked.then(() => assertEach(authorizer, context, targets, i + 1));
  }
}

function assertMay(
  authorizer: Authorizer,
  { user, info: { path } }: RequestContext,
  target: Target | undefined,
): MaybePromise<void> {
  if (!target) return;
  const info: RequestInfo = {
    ...{ isResourceRequest: true, path, verb: 'impersonate', apiPrefix: '', apiVersion: '', parts: [] },
    ...target,
  };
  return whenReady(authorizer.authorize({ user, info }), (decision) => {
    assertAllowed(user, info, decision);
  });
}

/**
 * A service account without groups gets those of service accounts; every user is in system:authenticated or
 * system:unauthenticated.
 */
function userOf({ name, uid, groups, extra }: Wanted): UserInfo {
  const account = accountOf(name);
  const given = account && groups.length === 0 ? accountGroups(account.namespace) : groups;
  const own = name === anonymousUser.name ? groupUnauthenticated : groupAuthenticated;
  const isSaid = given.includes(own) || given.includes(groupUnauthenticated);
  return { name, uid, groups: isSaid ? given : [...given, own], extra };
}
