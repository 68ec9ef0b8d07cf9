/** Which requests the rules of a flow schema match; compiled once, evaluated for every request. */
import type { NonResourcePolicyRule, ResourcePolicyRule } from '../api/flowcontrol/v1beta1.types.ts';
import type { RequestInfo } from '../meta/request-info.ts';

/** True for requests that a rule is about. */
export type RequestTest = (info: RequestInfo) => boolean;

type WordTest = (word: string) => boolean;

const all = '*';
const everything: WordTest = () => true;

/** Verbs, groups and resources must fit; a request in a namespace needs the namespace, any other `clusterScope`. */
export function resourceTest(rule: ResourcePolicyRule): RequestTest {
  const [verbs, groups] = [wordTest(rule.verbs), wordTest(rule.apiGroups)];
  const [resources, namespaces] = [wordTest(rule.resources), wordTest(rule.namespaces)];
  const isAcross = rule.clusterScope === true;
  return ({ verb, apiGroup, resource, subresource, namespace }) =>
    verbs(verb) &&
    (namespace === '' ? isAcross : namespaces(namespace)) &&
    groups(apiGroup) &&
    resources(subresource === '' ? resource : `${resource}/${subresource}`);
}

/** Verbs and the path must fit; `/logs/*` is all below `/logs/`. */
export function pathTest(rule: NonResourcePolicyRule): RequestTest {
  const verbs = wordTest(rule.verbs);
  const paths = listOf(rule.nonResourceURLs).map(urlTest);
  return ({ verb, path }) => verbs(verb) && paths.some((test) => test(path));
}

function urlTest(url: string): WordTest {
  if (url === all) return everything;
  if (!url.endsWith('/*')) return (path) => path === url;
  const prefix = url.slice(0, -1);
  return (path) => path.startsWith(prefix);
}

function wordTest(words: readonly string[] | null | undefined): WordTest {
  const list = listOf(words);
  return list.includes(all) ? everything : (word) => list.includes(word);
}

/** What is stored may leave lists out. */
export function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return list ?? [];
}
