/** Which webhooks a write concerns, and as which version of its resource each of them sees it. */
import { ObjectNotFound } from '../../meta/object-errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import type { AdmissionAttributes, ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { NamespaceReader } from '../namespace-lifecycle.ts';
import { versionsOf } from './equivalents.ts';
import type { AdmissionWebhook, WebhookRule } from './webhook-configuration.ts';

/** A webhook that is to be called, and the version that its rules name. */
export interface Invocation {
  readonly hook: AdmissionWebhook;
  readonly resource: ServedResource;
}

interface MatchParts {
  readonly catalogue: Pick<ResourceCatalogue, 'groups'>;
  readonly namespaces: NamespaceReader;
}

const all = '*';

export interface MatchRule extends WebhookRule {
  /** Names of objects; none: all. */
  readonly names?: readonly string[];
}

/** Which writes a webhook, a policy or a binding concerns. */
export interface Matcher extends Pick<
  AdmissionWebhook,
  'namespaceSelector' | 'objectSelector' | 'matchesEquivalent'
> {
  readonly rules: readonly MatchRule[];
  /** What they do not concern although a rule names it. */
  readonly excludes?: readonly MatchRule[];
}

/** How a webhook is to be called for a write; undefined: not at all. @throws StatusError 404 for a namespace that is not there */
export async function invocationOf(
  parts: MatchParts,
  hook: AdmissionWebhook,
  attributes: AdmissionAttributes,
): Promise<Invocation | undefined> {
  const resource = await matchedResource(parts, hook, attributes);
  return resource && { hook, resource };
}

/**
 * The version that the rules name, of a write that they and the selectors match.
 * @throws StatusError 404 for a namespace that is not there
 */
export async function matchedResource(
  parts: MatchParts,
  matcher: Matcher,
  attributes: AdmissionAttributes,
): Promise<ServedResource | undefined> {
  const resource = matchingResource(parts, matcher, attributes, matcher.rules);
  if (!resource || !selectsObject(matcher, attributes)) return undefined;
  const { excludes = [] } = matcher;
  if (excludes.length > 0 && matchingResource(parts, matcher, attributes, excludes)) return undefined;
  return (await selectsNamespace(parts, matcher, attributes)) ? resource : undefined;
}

function matchingResource(
  { catalogue }: MatchParts,
  { matchesEquivalent }: Matcher,
  attributes: AdmissionAttributes,
  rules: readonly MatchRule[],
): ServedResource | undefined {
  const { resource } = attributes.scope;
  const matches = ({ gvr }: ServedResource): boolean =>
    rules.some((rule) => ruleMatches(rule, gvr, attributes));
  if (matches(resource)) return resource;
  return matchesEquivalent ? equivalentsOf(catalogue, attributes).find(matches) : undefined;
}

/** Other versions of the same objects, in every group that serves them. */
function equivalentsOf(
  catalogue: MatchParts['catalogue'],
  { scope: { resource, subresource } }: AdmissionAttributes,
): ServedResource[] {
  return versionsOf(catalogue, resource).filter(
    (other) => other !== resource && (subresource === '' || other.subresource(subresource) !== undefined),
  );
}

function ruleMatches(rule: MatchRule, gvr: GroupVersionResource, attributes: AdmissionAttributes): boolean {
  return (
    has(rule.operations, attributes.operation) &&
    has(rule.groups, gvr.group) &&
    has(rule.versions, gvr.version) &&
    scopeMatches(rule, attributes) &&
    ((rule.names ?? []).length === 0 || rule.names?.includes(attributes.name) === true) &&
    rule.resources.some((text) => resourceMatches(text, gvr.resource, attributes.scope.subresource))
  );
}

function has(list: readonly string[], word: string): boolean {
  return list.includes(all) || list.includes(word);
}

function resourceMatches(text: string, resource: string, subresource: string): boolean {
  const [plural = '', sub = ''] = text.split('/');
  return (plural === all || plural === resource) && (sub === all || sub === subresource);
}

/** Namespaces themselves belong to the cluster. */
function scopeMatches({ scope }: WebhookRule, { scope: { resource } }: AdmissionAttributes): boolean {
  return scope === all || (scope === 'Namespaced') === resource.namespaced;
}

function selectsObject({ objectSelector }: Matcher, { object, oldObject }: AdmissionAttributes): boolean {
  const matches = (one: ApiObject | undefined): boolean =>
    one?.metadata !== undefined && objectSelector.matches(one.metadata.labels ?? undefined);
  return objectSelector.empty || matches(object) || matches(oldObject);
}

/** Objects of the cluster belong to no namespace: every selector takes them, but for namespaces themselves. */
async function selectsNamespace(
  { namespaces }: MatchParts,
  { namespaceSelector }: Matcher,
  attributes: AdmissionAttributes,
): Promise<boolean> {
  if (namespaceSelector.empty) return true;
  const { scope, object } = attributes;
  const name = namespaceOf(attributes);
  if (isNamespaceItself(attributes) && scope.subresource === '' && object)
    return namespaceSelector.matches(object.metadata.labels ?? undefined);
  if (name === '') return true;
  const namespace = (await namespaces.peek(name)) ?? (await namespaces.read(name, scope.signal));
  if (!namespace) throw missing(name);
  return namespaceSelector.matches(namespace.metadata.labels ?? undefined);
}

function missing(name: string): ObjectNotFound {
  return new ObjectNotFound({ resource: { group: '', resource: 'namespaces' }, namespace: '', name });
}

function isNamespaceItself({ scope: { resource } }: AdmissionAttributes): boolean {
  return resource.gvr.group === '' && resource.gvr.resource === 'namespaces';
}

/** The namespace that a write is about; that of a namespace is itself. */
export function namespaceOf(attributes: AdmissionAttributes): string {
  return isNamespaceItself(attributes) ? attributes.name : attributes.scope.namespace;
}
