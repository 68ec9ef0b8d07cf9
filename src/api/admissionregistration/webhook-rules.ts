/** Rules of webhooks: whom they call, and for what. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { dns1035Label, dns1123Subdomain } from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import { between, each, given, need, repeatedNames } from '../validation/rules.ts';
import { validateMatchConditions } from './policy-parts.ts';
import { validateWebhookClient } from '../validation/validate-webhook-client.ts';
import { webhookEnvironment } from '../../cel/admission/environment.ts';
import { boolType } from '../../cel/language/types.ts';
import type { ExpressionRules } from './expression-rules.ts';
import type { MutatingWebhook, RuleWithOperations } from './v1.types.ts';

/** A validating webhook has the same fields but the policy of reinvocation. */
export type Webhook = Omit<MutatingWebhook, 'reinvocationPolicy'>;

const minNameParts = 3;
const timeout = between(1, 30);
const all = '*';
const knownVersions = ['v1', 'v1beta1'];
const withoutSideEffects = ['None', 'NoneOnDryRun'];

/** Rules that depend on the version and on the stored webhooks. */
export interface Strictness {
  /** One review at least is one that this server writes. */
  readonly knownReviews: boolean;
  readonly harmlessSideEffects: boolean;
  readonly uniqueNames: boolean;
}

/**
 * Requirements for a written configuration: v1beta1 accepts webhooks with side effects and repeated names, and what is
 * stored so can be changed in v1, too, as long as it has such errors (ValidateValidatingWebhookConfigurationUpdate).
 * @param current the webhooks stored now; undefined: none are, a configuration is created
 */
export function strictnessOf(version: string, current: readonly Webhook[] = []): Strictness {
  const isStrict = version !== 'v1beta1';
  const names = current.map(({ name }) => name);
  return {
    knownReviews: current.every(({ admissionReviewVersions }) => areKnown(admissionReviewVersions ?? [])),
    harmlessSideEffects:
      isStrict && current.every(({ sideEffects }) => withoutSideEffects.includes(sideEffects ?? '')),
    uniqueNames: isStrict && new Set(names).size === names.length,
  };
}

export function validateWebhooks(
  webhooks: Maybe<readonly Webhook[]>,
  path: FieldPath,
  strictness: Strictness,
  expressions: ExpressionRules,
): FieldError[] {
  const environment = webhookEnvironment;
  return [
    ...each(webhooks, path, (webhook, at) => [
      ...webhookErrors(webhook, at),
      ...validateMatchConditions(webhook.matchConditions, at.child('matchConditions'), (text, p) =>
        expressions.errors(text, p, { environment, results: [boolType] }),
      ),
      ...effectErrors(webhook.sideEffects ?? '', at.child('sideEffects'), strictness),
      ...reviewErrors(webhook.admissionReviewVersions ?? [], at.child('admissionReviewVersions'), strictness),
    ]),
    ...(strictness.uniqueNames ? repeatedNames(webhooks, path) : []),
  ];
}

/** The requirements of every version. */
function webhookErrors(webhook: Webhook, at: FieldPath): FieldError[] {
  return [
    ...need(webhook.name, at.child('name'), qualifiedDomain),
    ...each(webhook.rules, at.child('rules'), validateRule),
    ...given(webhook.timeoutSeconds, at.child('timeoutSeconds'), timeout),
    ...validateLabelSelector(webhook.namespaceSelector, at.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, at.child('objectSelector')),
    ...validateWebhookClient(webhook.clientConfig ?? {}, at.child('clientConfig')),
  ];
}

function effectErrors(effects: string, at: FieldPath, { harmlessSideEffects }: Strictness): FieldError[] {
  if (effects === '') return [required(at, `must specify one of ${withoutSideEffects.join(', ')}`)];
  return harmlessSideEffects && !withoutSideEffects.includes(effects)
    ? [notSupported(at, effects, withoutSideEffects)]
    : [];
}

/** The expressions of match conditions. */
export function conditionTexts(webhooks: Maybe<readonly Webhook[]>): ReadonlySet<string> {
  return new Set(
    (webhooks ?? []).flatMap(({ matchConditions }) =>
      (matchConditions ?? []).map(({ expression }) => expression ?? ''),
    ),
  );
}

/** At least a host, a domain and a top level. */
function qualifiedDomain(name: string, at: FieldPath): FieldError[] {
  const shape = dns1123Subdomain(name).map((message) => invalid(at, name, message));
  return name.split('.').length < minNameParts
    ? [...shape, invalid(at, name, 'should be a domain with at least three segments separated by dots')]
    : shape;
}

function reviewErrors(
  versions: readonly string[],
  at: FieldPath,
  { knownReviews }: Strictness,
): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${knownVersions.join(', ')}`)];
  const seen = new Set<string>();
  const items = each(versions, at, (version, p) => {
    const isRepeated = seen.has(version);
    seen.add(version);
    return [
      ...(isRepeated ? [duplicate(p, version)] : []),
      ...dns1035Label(version).map((message) => invalid(p, version, message)),
    ];
  });
  return !knownReviews || areKnown(versions)
    ? items
    : [...items, invalid(at, versions, `must include at least one of ${knownVersions.join(', ')}`)];
}

/** Whether there is none, or one that this server writes. */
function areKnown(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some((version) => knownVersions.includes(version));
}

function validateRule(rule: RuleWithOperations, at: FieldPath): FieldError[] {
  return [
    ...wildcardList(rule.operations, at.child('operations')),
    ...wildcardList(rule.apiGroups, at.child('apiGroups'), true),
    ...wildcardList(rule.apiVersions, at.child('apiVersions')),
    ...resourceErrors(rule.resources, at.child('resources')),
  ];
}

/** Words, or the star alone. */
function wildcardList(list: Maybe<readonly string[]>, at: FieldPath, mayBeEmpty = false): FieldError[] {
  const items = list ?? [];
  if (items.length === 0) return [required(at)];
  return [
    ...(items.length > 1 && items.includes(all)
      ? [invalid(at, items, "if '*' is present, must not specify other values")]
      : []),
    ...each(items, at, (item, p) => (item === '' && !mayBeEmpty ? [required(p)] : [])),
  ];
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*` with `/status`; none that another covers. */
function resourceErrors(list: Maybe<readonly string[]>, at: FieldPath): FieldError[] {
  const items = list ?? [];
  if (items.length === 0) return [required(at)];
  const given = new Set(items);
  const hasOthers = items.some((item) => item !== all && !item.includes('/'));
  const isCovered = (item: string): boolean => {
    const [resource = '', subresource] = item.split('/');
    if (subresource === undefined) return false;
    return (
      (given.has('*/*') && item !== '*/*') ||
      (given.has(`${resource}/*`) && subresource !== all) ||
      (given.has(`*/${subresource}`) && resource !== all)
    );
  };
  const single = each(items, at, (item, p) => {
    if (item === '') return [required(p)];
    return isCovered(item) ? [invalid(p, item, 'is covered by another entry')] : [];
  });
  if (!hasOthers || !given.has(all)) return single;
  const detail = "if '*' is present, must not specify other resources without subresources";
  return [...single, invalid(at, items, detail)];
}
