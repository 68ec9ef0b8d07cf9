/**
 * Node mode (`--authorization-mode=Node`): what a node agent (user `system:node:<name>` in the group `system:nodes`) may
 * do. It reads Secrets, ConfigMaps, claims and volumes only if a pod on its node refers to them; other resources follow the
 * rules of the role `system:node`. Without permission it has no opinion. Rules and reasons are those of Kubernetes 1.21,
 * those of pods and nodes of 1.32, and those of resource claims, slices and certificates of pods where their gates are on.
 */
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { SelectorRequirement } from '../../meta/request-selectors.ts';
import { nodeOf } from '../../meta/user.ts';
import { componentRoles } from '../bootstrap/component-roles.ts';
import { laterRulesOf } from '../bootstrap/later-rules.ts';
import { specifiedPolicy, type ServedPolicy } from '../bootstrap/served-policy.ts';
import { combinedResource, RoleRules } from '../rbac/role-rules.ts';
import { noOpinion, type AuthorizerDecision, type RuleAuthorizer } from '../types.ts';
import type { NodeGraph } from './node-graph.ts';
import type { FollowedKinds } from './node-informer.ts';
import type { NamespacedReference } from './node-references.ts';

export type NodeRelations = Pick<
  NodeGraph,
  'refersTo' | 'usesVolume' | 'hasAttachment' | 'runsPod' | 'isPlaced'
>;

export interface NodeRules {
  /** Nodes read themselves and their own pods alone (feature gate `AuthorizeNodeWithSelectors`, from release 1.32 on). */
  readonly readsSelectors: boolean;
  /** Kinds of later releases that have rules of their own. */
  readonly follows?: FollowedKinds;
  /** The release and its gates, for the rules of the role; absent: 1.21. */
  readonly served?: ServedPolicy;
}

const allowed: AuthorizerDecision = { decision: 'allow', reason: '' };
const unlistable = 'node authorizer does not support user rule resolution';

type Decide = (node: string, info: RequestInfo) => AuthorizerDecision;

export function createNodeAuthorizer(
  graph: NodeRelations,
  naming: NamingProfile,
  { readsSelectors, follows = {}, served = specifiedPolicy }: NodeRules,
): RuleAuthorizer {
  const rules = nodeRules(naming, served);
  const own: [string, Decide][] = readsSelectors
    ? [
        ['/pods', (node, info) => decidePod(node, info, graph)],
        ['/nodes', decideNode],
      ]
    : [];
  const deciders = new Map([
    ...decidersOf(graph, naming),
    ...own,
    ...laterDeciders(graph, naming, { readsSelectors, follows }),
  ]);
  return {
    authorize: ({ user, info }) => {
      const node = nodeOf(user);
      if (node === undefined) return noOpinion;
      if (node === '') return refused(`unknown node for user ${JSON.stringify(user.name)}`);
      const decide = info.isResourceRequest ? deciders.get(`${info.apiGroup}/${info.resource}`) : undefined;
      if (decide) return decide(node, info);
      return rules.allows(info, combinedResource(info)) ? allowed : noOpinion;
    },
    rulesFor: (user) => ({
      ...{ resourceRules: [], nonResourceRules: [] },
      problems: nodeOf(user) === undefined ? [] : [unlistable],
    }),
  };
}

/** By group and resource. */
function decidersOf(graph: NodeRelations, naming: NamingProfile): ReadonlyMap<string, Decide> {
  const { apiDomain } = naming;
  const refers =
    (resource: NamespacedReference['resource']): Decide =>
    (node, { namespace, name }) =>
      related(node, name, graph.refersTo(node, { resource, namespace, name }));
  const claim = refers('persistentvolumeclaims');
  const ownNamespace = `${naming.systemPrefix}-node-lease`;
  return new Map<string, Decide>([
    ['/secrets', toRead(refers('secrets'))],
    ['/configmaps', toRead(refers('configmaps'))],
    ['/persistentvolumeclaims', toGetOrReport(claim)],
    ['/persistentvolumes', toGet((node, { name }) => related(node, name, graph.usesVolume(node, name)))],
    [
      `storage.${apiDomain}/volumeattachments`,
      toGet((node, { name }) => related(node, name, graph.hasAttachment(node, name))),
    ],
    ['/serviceaccounts', toCreateToken(refers('serviceaccounts'))],
    [`coordination.${apiDomain}/leases`, (node, info) => decideLease(node, info, ownNamespace)],
    [`storage.${apiDomain}/csinodes`, decideCsiNode],
  ]);
}

/** Of kinds of later releases. */
function laterDeciders(
  graph: NodeRelations,
  { apiDomain }: NamingProfile,
  { readsSelectors, follows }: { readonly readsSelectors: boolean; readonly follows: FollowedKinds },
): [string, Decide][] {
  const claim = toGet((node, { namespace, name }) =>
    related(node, name, graph.refersTo(node, { resource: 'resourceclaims', namespace, name })),
  );
  return [
    ...(follows.claims === true
      ? ([
          [`resource.${apiDomain}/resourceclaims`, claim],
          [
            `resource.${apiDomain}/resourceslices`,
            (node, info) => decideSlice(node, info, { graph, readsSelectors }),
          ],
        ] satisfies [string, Decide][])
      : []),
    ...(follows.podCertificates === true
      ? ([
          [
            `certificates.${apiDomain}/podcertificaterequests`,
            (node, info) => decideCertificateRequest(node, info, graph),
          ],
        ] satisfies [string, Decide][])
      : []),
  ];
}

function refused(reason: string): AuthorizerDecision {
  return { decision: 'noOpinion', reason };
}

function related(node: string, name: string, isRelated: boolean): AuthorizerDecision {
  if (name === '') return refused('No Object name found');
  return isRelated ? allowed : refused(`no relationship found between node '${node}' and this object`);
}

/** Single objects of a namespace: get, list and watch. */
function toRead(decide: Decide): Decide {
  return (node, info) => {
    if (!['get', 'list', 'watch'].includes(info.verb)) return refused('can only read resources of this type');
    if (info.subresource !== '') return refused('cannot read subresource');
    if (info.namespace === '') return refused('can only read namespaced object of this type');
    return decide(node, info);
  };
}

function toGet(decide: Decide): Decide {
  return (node, info) => {
    if (info.verb !== 'get') return refused('can only get individual resources of this type');
    if (info.subresource !== '') return refused('cannot get subresource');
    return decide(node, info);
  };
}

/** A node reports in the status of a claim that it has grown its file system. */
function toGetOrReport(decide: Decide): Decide {
  const get = toGet(decide);
  return (node, info) => {
    if (info.subresource !== 'status') return get(node, info);
    const isReport = info.verb === 'update' || info.verb === 'patch';
    return isReport ? decide(node, info) : refused('can only get/update/patch this type');
  };
}

function toCreateToken(decide: Decide): Decide {
  return (node, info) => {
    if (info.verb !== 'create' || info.name === '')
      return refused('can only create tokens for individual service accounts');
    if (info.subresource !== 'token') return refused('can only create token subresource of serviceaccount');
    return decide(node, info);
  };
}

/** Lists and watches are of the pods of this node; the admission plugin NodeRestriction limits writes further. */
function decidePod(node: string, info: RequestInfo, graph: NodeRelations): AuthorizerDecision {
  const { verb, subresource, namespace, name, selectors } = info;
  const isOf = (): AuthorizerDecision => related(node, name, graph.runsPod(node, namespace, name));
  switch (subresource) {
    case '':
      if (verb === 'get') return isOf();
      if (verb === 'create' || verb === 'delete') return allowed;
      if (verb !== 'list' && verb !== 'watch') return noOpinion;
      if (selectors?.fields.some((field) => isNodeName(field, node)) === true) return allowed;
      return name === '' ? refused('can only list/watch pods with spec.nodeName field selector') : isOf();
    case 'status':
      return verb === 'update' || verb === 'patch' ? allowed : noOpinion;
    case 'eviction':
      return verb === 'create' ? allowed : noOpinion;
    default:
      return noOpinion;
  }
}

/** A node publishes slices of its own; the admission plugin NodeRestriction sees for whom one is made. */
function decideSlice(
  node: string,
  { verb, subresource, name, selectors }: RequestInfo,
  { graph, readsSelectors }: { readonly graph: NodeRelations; readonly readsSelectors: boolean },
): AuthorizerDecision {
  if (subresource !== '') return refused('cannot authorize ResourceSlice subresources');
  if (verb === 'create') return allowed;
  if (['get', 'update', 'patch', 'delete'].includes(verb))
    return related(node, name, graph.isPlaced(node, 'resourceslices', name));
  if (!['list', 'watch', 'deletecollection'].includes(verb))
    return refused(
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
    );
  if (!readsSelectors || selectors?.fields.some((field) => isNodeName(field, node)) === true) return allowed;
  return refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
}

/** A node asks for certificates of its pods; the admission plugin NodeRestriction sees of which. */
function decideCertificateRequest(
  node: string,
  { verb, subresource, namespace, name, selectors }: RequestInfo,
  graph: NodeRelations,
): AuthorizerDecision {
  if (subresource !== '') return refused('cannot authorize PodCertificateRequest subresources');
  if (verb === 'create') return allowed;
  if (!['get', 'list', 'watch'].includes(verb))
    return refused('can only get, list, watch and create PodCertificateRequests');
  if (verb !== 'get' && selectors?.fields.some((field) => isNodeName(field, node)) === true) return allowed;
  if (verb !== 'get' && name === '')
    return refused('can only list/watch podcertificaterequests with spec.nodeName field selector');
  return related(node, name, graph.isPlaced(node, 'podcertificaterequests', `${namespace}/${name}`));
}

function isNodeName({ key, operator, values }: SelectorRequirement, node: string): boolean {
  return key === 'spec.nodeName' && operator === 'In' && values.length === 1 && values[0] === node;
}

function decideNode(node: string, { verb, subresource, name }: RequestInfo): AuthorizerDecision {
  const isChange = verb === 'update' || verb === 'patch';
  if (subresource === 'status') return isChange ? allowed : noOpinion;
  if (subresource !== '') return noOpinion;
  if (isChange || verb === 'create') return allowed;
  if (!['get', 'list', 'watch'].includes(verb)) return noOpinion;
  if (name === node) return allowed;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return refused(`node '${node}' cannot read ${what}, only its own Node object`);
}

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/** The name of what is created is not known here: the admission plugin NodeRestriction checks it. */
function decideLease(node: string, info: RequestInfo, ownNamespace: string): AuthorizerDecision {
  const { verb, namespace, name } = info;
  if (!ownVerbs.includes(verb)) return refused('can only get, create, update, patch, or delete a node lease');
  if (namespace !== ownNamespace)
    return refused(`can only access leases in the ${JSON.stringify(ownNamespace)} system namespace`);
  if (verb !== 'create' && name !== node)
    return refused('can only access node lease with the same name as the requesting node');
  return allowed;
}

function decideCsiNode(node: string, { verb, subresource, name }: RequestInfo): AuthorizerDecision {
  if (!ownVerbs.includes(verb)) return refused('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return refused('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return refused('can only access CSINode with the same name as the requesting node');
  return allowed;
}

/** The rules of the bootstrap role `system:node`, which Node mode grants without a binding. */
function nodeRules(naming: NamingProfile, served: ServedPolicy): RoleRules {
  const role = componentRoles.find(({ name }) => name === 'system:node');
  if (!role) throw new Error('the bootstrap policy has no role system:node');
  const expand = (group: string): string => expandNames(group, naming);
  const rules = [...role.rules, ...laterRulesOf(role.name, served)];
  return new RoleRules(rules.map((rule) => ({ ...rule, apiGroups: rule.apiGroups.map(expand) })));
}
