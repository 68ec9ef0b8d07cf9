/**
 * Webhook mode (`--authorization-mode=Webhook`): sends a SubjectAccessReview to an external service. Decisions are
 * cached; a failure is not, and counts as no opinion.
 */
import type { PassiveClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { isObject, setOwn, textOf, type JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { assertTypes, isFlag, isText } from '../../meta/answer-types.ts';
import { isAnswerOf } from '../../meta/gvk.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { SelectorRequirement } from '../../meta/request-selectors.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AuthorizerAttributes, AuthorizerDecision, RuleAuthorizer } from '../types.ts';
import { DecisionCache, type DecisionTtls } from './decision-cache.ts';

export interface WebhookOptions {
  readonly clock: PassiveClock;
  /** Sends a review and gives the one that comes back. @throws when there is none in time */
  readonly sendReview: (review: JsonObject) => Promise<JsonObject>;
  /** The API group of reviews. */
  readonly group: string;
  readonly version: 'v1' | 'v1beta1';
  /** Reviews carry selectors (feature gate `AuthorizeWithSelectors`). */
  readonly passesSelectors: boolean;
  readonly ttls: DecisionTtls;
  readonly warn: (details: object, message: string) => void;
}

/** Characters: reasons are cached by the thousand. */
const maxReason = 2_000;

const kind = 'SubjectAccessReview';
const unlistable = 'webhook authorizer does not support user rule resolution';

export function createWebhookAuthorizer(options: WebhookOptions): RuleAuthorizer {
  const cache = new DecisionCache(options.ttls, options.clock);
  return {
    authorize: (attributes) => {
      const spec = specOf(options, attributes);
      return cache.decide(JSON.stringify(spec), () => decide(options, spec));
    },
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], problems: [unlistable] }),
  };
}

async function decide(options: WebhookOptions, spec: JsonObject): Promise<AuthorizerDecision> {
  const { sendReview, group, version, warn } = options;
  try {
    const apiVersion = `${group}/${version}`;
    return read(await sendReview({ apiVersion, kind, spec }), apiVersion);
  } catch (error) {
    warn({ err: error }, 'the authorization webhook could not be called');
    return {
      decision: 'noOpinion',
      reason: '',
      error: `the authorization webhook failed: ${messageOf(error)}`,
    };
  }
}

const types = { allowed: isFlag, denied: isFlag, reason: isText, evaluationError: isText };

/** @throws Error for an answer that is none */
function read(answer: JsonObject, apiVersion: string): AuthorizerDecision {
  const { status } = answer;
  if (!isAnswerOf(answer, { apiVersion, kind }))
    throw new Error(`the webhook answered with something else than a ${kind} of ${apiVersion}`);
  if (!isObject(status)) throw new Error('the webhook answered without a status');
  assertTypes(status, 'status', types);
  const { allowed, denied } = status;
  const why = shortText(textOf(status['reason']), maxReason);
  if (allowed === true && denied === true) throw new Error('the webhook both allowed and denied');
  if (allowed === true) return { decision: 'allow', reason: why };
  return { decision: denied === true ? 'deny' : 'noOpinion', reason: why };
}

/** The `spec` of a SubjectAccessReview of this version. */
export function specOf(
  { version, passesSelectors }: Pick<WebhookOptions, 'version' | 'passesSelectors'>,
  { user, info }: AuthorizerAttributes,
): JsonObject {
  const { name, uid, groups } = user;
  return {
    ...(info.isResourceRequest
      ? { resourceAttributes: { ...resourceAttributes(info), ...(passesSelectors && selectorsOf(info)) } }
      : { nonResourceAttributes: { path: info.path, verb: info.verb } }),
    ...(name !== '' && { user: name }),
    ...(groups.length > 0 && { [version === 'v1' ? 'groups' : 'group']: [...groups] }),
    ...(Object.keys(user.extra).length > 0 && { extra: extraOf(user) }),
    ...(uid !== '' && { uid }),
  };
}

function resourceAttributes(info: RequestInfo): JsonObject {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = info;
  const all = { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** What can be read of them: the webhook may allow what is narrow. */
function selectorsOf({ selectors }: RequestInfo): JsonObject {
  const { fields = [], labels = [] } = selectors ?? {};
  return {
    ...(fields.length > 0 && { fieldSelector: { requirements: fields.map(requirementOf) } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels.map(requirementOf) } }),
  };
}

function requirementOf({ key, operator, values }: SelectorRequirement): JsonObject {
  return { key, operator, ...(values.length > 0 && { values: [...values] }) };
}

function extraOf({ extra }: UserInfo): JsonObject {
  const copy: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(copy, key, [...values]);
  return copy;
}
