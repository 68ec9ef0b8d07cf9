/**
 * What a user may do: `authorizer.group('apps').resource('deployments').namespace('a').check('get').allowed()`. A check
 * is dear, so that an expression can afford two.
 */
import { EvaluationError } from '../language/errors.ts';
import { member, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import { Opaque } from '../language/values.ts';

/** Of a check; only two fit into the cost of an expression, as in the reference. */
const costOfCheck = 350_000;

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

interface Asked {
  /** Absent: the user of the request. */
  readonly account?: ServiceAccountName;
  readonly verb: string;
}

export interface ResourceOfCheck {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What narrows it, as written; absent: nothing does. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** May the user do this to a resource, or to a path that is none? */
export type AuthorizationQuestion = Asked & (ResourceOfCheck | { readonly path: string });

export interface AuthorizationAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** Why it cannot be said; '' where it can. */
  readonly error: string;
}

/** @throws AwaitedAnswer where the answer has to be waited for */
export type Decide = (question: AuthorizationQuestion) => AuthorizationAnswer;

const typeNamed = (name: string): ReturnType<typeof opaque> => opaque(`kubernetes.authorization.${name}`);

export const authorizerType = typeNamed('Authorizer');
export const resourceCheckType = typeNamed('ResourceCheck');
const pathCheckType = typeNamed('PathCheck');
const groupCheckType = typeNamed('GroupCheck');
const decisionType = typeNamed('Decision');

/** Values of this library are the same only as themselves. */
abstract class Checking extends Opaque {
  override equals(other: Opaque): boolean {
    return other === this;
  }
}

export class AuthorizerValue extends Checking {
  override readonly type = authorizerType;
  readonly decide: Decide;
  readonly account: ServiceAccountName | undefined;

  constructor(decide: Decide, account?: ServiceAccountName) {
    super();
    this.decide = decide;
    this.account = account;
  }

  ask(question: { readonly path: string } | ResourceOfCheck, verb: string): Decision {
    const { account } = this;
    return new Decision(this.decide({ ...(account && { account }), ...question, verb }));
  }
}

class PathCheck extends Checking {
  override readonly type = pathCheckType;
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends Checking {
  override readonly type = groupCheckType;
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

export class ResourceCheck extends Checking {
  override readonly type = resourceCheckType;
  readonly authorizer: AuthorizerValue;
  readonly resource: ResourceOfCheck;

  constructor(authorizer: AuthorizerValue, resource: ResourceOfCheck) {
    super();
    this.authorizer = authorizer;
    this.resource = resource;
  }

  with(changed: Partial<ResourceOfCheck>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...changed });
  }
}

class Decision extends Checking {
  override readonly type = decisionType;
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}

const a = 'kubernetes.authorization.';
const dear = (): number => costOfCheck;
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function accountOf(authorizer: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (name.length > 253 || !subdomain.test(name)) throw new EvaluationError('Invalid service account name');
  if (!label.test(namespace)) throw new EvaluationError('Invalid service account namespace');
  return new AuthorizerValue(authorizer.decide, { namespace, name });
}

function need(text: string, what: string): string {
  if (text.trim() === '') throw new EvaluationError(`${what} must not be empty`);
  return text;
}

const narrowing = (['subresource', 'namespace', 'name'] as const).map((field) =>
  member(
    field,
    `resourcecheck_${field}`,
    `${a}ResourceCheck, string -> ${a}ResourceCheck`,
    (_run, check: ResourceCheck, text: string) => check.with({ [field]: text }),
  ),
);

/** A selector that cannot be read narrows nothing. */
export const authorizationSelectors: readonly Overload[] = (['field', 'label'] as const).map((kind) =>
  member(
    `${kind}Selector`,
    `authorizer_${kind}selector`,
    `${a}ResourceCheck, string -> ${a}ResourceCheck`,
    (_run, check: ResourceCheck, text: string) => check.with({ [`${kind}Selector`]: text }),
  ),
);

export const authorizations: readonly Overload[] = [
  member(
    'path',
    'authorizer_path',
    `${a}Authorizer, string -> ${a}PathCheck`,
    (_run, authorizer: AuthorizerValue, path: string) => new PathCheck(authorizer, need(path, 'path')),
  ),
  member(
    'group',
    'authorizer_group',
    `${a}Authorizer, string -> ${a}GroupCheck`,
    (_run, authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group),
  ),
  member(
    'serviceAccount',
    'authorizer_serviceaccount',
    `${a}Authorizer, string, string -> ${a}Authorizer`,
    (_run, authorizer: AuthorizerValue, namespace: string, name: string) =>
      accountOf(authorizer, namespace, name),
  ),
  member(
    'resource',
    'groupcheck_resource',
    `${a}GroupCheck, string -> ${a}ResourceCheck`,
    (_run, { authorizer, group }: GroupCheck, text: string) => {
      const resource = need(text, 'resource');
      return new ResourceCheck(authorizer, { group, resource, subresource: '', namespace: '', name: '' });
    },
  ),
  ...narrowing,
  member(
    'check',
    'pathcheck_check',
    `${a}PathCheck, string -> ${a}Decision`,
    (_run, { authorizer, path }: PathCheck, verb: string) => authorizer.ask({ path }, verb),
    dear,
  ),
  member(
    'check',
    'resourcecheck_check',
    `${a}ResourceCheck, string -> ${a}Decision`,
    (_run, { authorizer, resource }: ResourceCheck, verb: string) => authorizer.ask(resource, verb),
    dear,
  ),
  member(
    'errored',
    'decision_errored',
    `${a}Decision -> bool`,
    (_run, { answer }: Decision) => answer.error !== '',
  ),
  member('error', 'decision_error', `${a}Decision -> string`, (_run, { answer }: Decision) => answer.error),
  member(
    'allowed',
    'decision_allowed',
    `${a}Decision -> bool`,
    (_run, { answer }: Decision) => answer.isAllowed,
  ),
  member(
    'reason',
    'decision_reason',
    `${a}Decision -> string`,
    (_run, { answer }: Decision) => answer.reason,
  ),
];
