/** What a node may do with Nodes: register and change itself, with labels that do not draw pods to it that are not meant for it. */
import { isDeepStrictEqual } from 'node:util';
import type { Node as NodeFields } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { forbiddenRequest, type NodeRequest } from './node-request.ts';

type Node = Stored<NodeFields>;
type Labels = Readonly<Record<string, string>>;

/** @throws StatusError 403 */
export function restrictNode(request: NodeRequest): void {
  const { attributes, node } = request;
  if (attributes.operation === 'CREATE') restrictRegistration(request);
  if (attributes.name !== node) {
    const about = JSON.stringify(attributes.name);
    throw forbiddenRequest(attributes, `node ${JSON.stringify(node)} is not allowed to modify node ${about}`);
  }
  if (attributes.operation === 'UPDATE') restrictChange(request);
}

function restrictRegistration({ attributes, node, naming }: NodeRequest): void {
  const { metadata, spec } = attributes.object as Node;
  const requester = `node ${JSON.stringify(node)}`;
  if (spec?.configSource != null)
    throw forbiddenRequest(
      attributes,
      `${requester} is not allowed to create pods with a non-nil configSource`,
    );
  if ((metadata.ownerReferences ?? []).length > 0)
    throw forbiddenRequest(attributes, `${requester} is not allowed to set ownerReferences`);
  const labels = forbiddenLabels(metadata.labels ?? {}, {}, naming);
  if (labels.length > 0)
    throw forbiddenRequest(
      attributes,
      `${requester} is not allowed to set the following labels: ${labels.join(', ')}`,
    );
}

function restrictChange({ attributes, node, naming }: NodeRequest): void {
  const [next, before] = [attributes.object as Node, attributes.oldObject as Node];
  const forbid = (problem: string): Error =>
    forbiddenRequest(attributes, `node ${JSON.stringify(node)} is not allowed to ${problem}`);
  const source = next.spec?.configSource;
  if (source != null && !isDeepStrictEqual(source, before.spec?.configSource))
    throw forbid('update configSource to a new non-nil configSource');
  // It could rid itself of taints that keep pods away.
  if (!isSameList(next.spec?.taints, before.spec?.taints)) throw forbid('modify taints');
  // Owners that are gone take what they own with them: the node could remove itself, which it may not.
  if (!isSameList(next.metadata.ownerReferences, before.metadata.ownerReferences))
    throw forbid('modify ownerReferences');
  const labels = forbiddenLabels(next.metadata.labels ?? {}, before.metadata.labels ?? {}, naming);
  if (labels.length > 0) throw forbid(`modify labels: ${labels.join(', ')}`);
}

function isSameList(
  a: readonly unknown[] | null | undefined,
  b: readonly unknown[] | null | undefined,
): boolean {
  return isDeepStrictEqual(a ?? [], b ?? []);
}

/** Labels that differ and that a node may not set by itself, sorted. */
function forbiddenLabels(next: Labels, before: Labels, naming: NamingProfile): string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(before)]);
  const valueIn = (labels: Labels, key: string): string | undefined =>
    Object.hasOwn(labels, key) ? labels[key] : undefined;
  return [...keys]
    .filter((key) => valueIn(next, key) !== valueIn(before, key))
    .filter((key) => !mayLabel(key, naming))
    .sort();
}

/** A node labels itself as it likes but for names of the system, of which it has some. */
function mayLabel(key: string, { labelDomain, apiDomain }: NamingProfile): boolean {
  const domain = key.includes('/') ? (key.split('/', 1)[0] ?? '') : '';
  if (isWithin(domain, `node-restriction.${labelDomain}`)) return false;
  const isOfSystem = isWithin(domain, labelDomain) || isWithin(domain, apiDomain);
  return !isOfSystem || isOfNode(key, domain, labelDomain);
}

/** Labels of the properties and topology of a node. */
function isOfNode(key: string, domain: string, label: string): boolean {
  const known = [
    ...['hostname', 'os', 'arch'].map((name) => `${label}/${name}`),
    ...['zone', 'region'].flatMap((n) => [`topology.${label}/${n}`, `failure-domain.beta.${label}/${n}`]),
    ...['instance-type', 'os', 'arch'].map((name) => `beta.${label}/${name}`),
  ];
  return known.includes(key) || isWithin(domain, `kubelet.${label}`) || isWithin(domain, `node.${label}`);
}

/** The domain itself or one below it. */
function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
