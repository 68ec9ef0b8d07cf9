/** Rules of webhooks: whom they call, and for what. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { dns1035Label, dns1123Subdomain } from '../validation/names.ts';
import type { Maybe } from '../validation/rules.ts';
import { between, each, given, need, repeatedNames } from '../validation/rules.ts';
import { validateWebhookClient } from '../validation/webhook-client.ts';
import type { MutatingWebhook, RuleWithOperations } from './v1.types.ts';

/** A validating webhook has the same fields but the policy of reinvocation. */
export type Webhook = Omit<MutatingWebhook, 'reinvocationPolicy'>;

const minNameParts = 3;
const timeout = between(1, 30);
const all = '*';
const knownReviews = ['v1', 'v1beta1'];
const quiet = ['None', 'NoneOnDryRun'];

/** What every version asks of a webhook. */
export function validateWebhook(webhook: Webhook, at: FieldPath): FieldError[] {
  return [
    ...need(webhook.name, at.child('name'), qualifiedDomain),
    ...each(webhook.rules, at.child('rules'), validateRule),
    ...given(webhook.timeoutSeconds, at.child('timeoutSeconds'), timeout),
    ...validateLabelSelector(webhook.namespaceSelector, at.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, at.child('objectSelector')),
    ...validateWebhookClient(webhook.clientConfig ?? {}, at.child('clientConfig')),
    ...reviewFaults(webhook.admissionReviewVersions, at.child('admissionReviewVersions')),
  ];
}

/** What v1 asks of those who write it: quiet webhooks with names of their own that say which reviews they read. */
export function validateStrictly(webhooks: Maybe<readonly Webhook[]>, path: FieldPath): FieldError[] {
  return [
    ...each(webhooks, path, (webhook, at) => {
      const effects = webhook.sideEffects ?? '';
      const reviews = webhook.admissionReviewVersions ?? [];
      const versions = at.child('admissionReviewVersions');
      return [
        ...(effects === ''
          ? [required(at.child('sideEffects'), `must specify one of ${quiet.join(', ')}`)]
          : quiet.includes(effects)
            ? []
            : [notSupported(at.child('sideEffects'), effects, quiet)]),
        ...(reviews.length === 0
          ? [required(versions, `must specify one of ${knownReviews.join(', ')}`)]
          : []),
      ];
    }),
    ...repeatedNames(webhooks, path),
  ];
}

/** At least a host, a domain and a top level. */
function qualifiedDomain(name: string, at: FieldPath): FieldError[] {
  const shape = dns1123Subdomain(name).map((message) => invalid(at, name, message));
  return name.split('.').length < minNameParts
    ? [...shape, invalid(at, name, 'should be a domain with at least three segments separated by dots')]
    : shape;
}

/** One review at least is one that this server writes. */
function reviewFaults(versions: Maybe<readonly string[]>, at: FieldPath): FieldError[] {
  const seen = new Set<string>();
  const items = each(versions, at, (version, p) => {
    const isRepeated = seen.has(version);
    seen.add(version);
    return [
      ...(isRepeated ? [duplicate(p, version)] : []),
      ...dns1035Label(version).map((message) => invalid(p, version, message)),
    ];
  });
  const isKnown = (versions ?? []).length === 0 || knownReviews.some((version) => seen.has(version));
  return isKnown
    ? items
    : [...items, invalid(at, versions, `must include at least one of ${knownReviews.join(', ')}`)];
}

function validateRule(rule: RuleWithOperations, at: FieldPath): FieldError[] {
  return [
    ...wildcardList(rule.operations, at.child('operations')),
    ...wildcardList(rule.apiGroups, at.child('apiGroups'), true),
    ...wildcardList(rule.apiVersions, at.child('apiVersions')),
    ...resourceFaults(rule.resources, at.child('resources')),
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
    ...items.flatMap((item, i) => (item === '' && !mayBeEmpty ? [required(at.index(i))] : [])),
  ];
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*` with `/status`; none that another covers. */
function resourceFaults(list: Maybe<readonly string[]>, at: FieldPath): FieldError[] {
  const items = list ?? [];
  if (items.length === 0) return [required(at)];
  const isCovered = (item: string): boolean => {
    const [resource = '', subresource] = item.split('/');
    if (subresource === undefined) return false;
    return (
      (items.includes('*/*') && item !== '*/*') ||
      (items.includes(`${resource}/*`) && subresource !== all) ||
      (items.includes(`*/${subresource}`) && resource !== all)
    );
  };
  return items.flatMap((item, i) => {
    if (item === '') return [required(at.index(i))];
    if (item === all && items.length > 1 && items.some((other) => other !== all && !other.includes('/')))
      return [invalid(at, items, "if '*' is present, must not specify other resources without subresources")];
    return isCovered(item) ? [invalid(at.index(i), item, 'is covered by another entry')] : [];
  });
}
