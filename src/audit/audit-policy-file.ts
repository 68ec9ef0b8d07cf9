/** Parses the audit policy file (`--audit-policy-file`); reports every error with its line. */
import { load, YAMLException } from 'js-yaml';
import { FileError } from '../base/file-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { PolicyFile, PolicyResources, PolicyRule } from './audit-policy.ts';
import { auditLevels, auditStages, type AuditStage } from './types.ts';
import { linesOfYaml } from './yaml-lines.ts';

const versions = ['v1', 'v1beta1', 'v1alpha1'];
const policyMembers = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages'];
const resourceMembers = ['group', 'resources', 'resourceNames'];
const ruleMembers = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
];

/** @throws FileError with everything that is wrong, line by line */
export function parseAuditPolicy(source: string, naming: NamingProfile): PolicyFile {
  const reader = new PolicyReader(source);
  const policy = reader.policy(`audit.${naming.apiDomain}`);
  if (reader.errors.length > 0) throw new FileError(reader.errors);
  return policy;
}

class PolicyReader {
  readonly errors: string[] = [];
  private readonly root: JsonValue | undefined;
  private readonly lineOf: (path: string) => number;

  constructor(source: string) {
    const { root, lineOf, error } = parse(source);
    this.root = root;
    this.lineOf = lineOf;
    if (error !== undefined) this.errors.push(error);
  }

  policy(group: string): PolicyFile {
    const { root } = this;
    if (!isObject(root)) {
      if (this.errors.length === 0) this.add('', 'not an audit policy');
      return { rules: [], omitStages: [] };
    }
    this.known(root, '', policyMembers);
    const accepted = versions.map((version) => `${group}/${version}`);
    if (!accepted.some((version) => version === root['apiVersion']))
      this.add('apiVersion', `apiVersion must be one of ${accepted.join(', ')}`);
    if (root['kind'] !== 'Policy') this.add('kind', 'kind must be Policy');
    const rules = this.objects(root, '', 'rules');
    if (rules.length === 0) this.add('rules', 'rules are missing');
    return {
      rules: rules.map(({ value, path }) => this.rule(value, path)),
      omitStages: this.stages(root, ''),
    };
  }

  private rule(rule: JsonObject, path: string): PolicyRule {
    this.known(rule, path, ruleMembers);
    const level = auditLevels.find((known) => known === rule['level']);
    if (level === undefined)
      this.add(at(path, 'level'), `level must be one of ${auditLevels.join(', ')}`, path);
    const urls = this.texts(rule, path, 'nonResourceURLs');
    const resources = this.objects(rule, path, 'resources');
    const namespaces = this.texts(rule, path, 'namespaces');
    if (urls.length > 0 && (resources.length > 0 || namespaces.length > 0))
      this.add(path, 'resources and nonResourceURLs exclude each other in a rule');
    for (const [i, url] of urls.entries()) this.url(url, `${at(path, 'nonResourceURLs')}[${String(i)}]`);
    return {
      level: level ?? 'None',
      users: this.texts(rule, path, 'users'),
      userGroups: this.texts(rule, path, 'userGroups'),
      verbs: this.texts(rule, path, 'verbs'),
      resources: resources.map((item) => this.resources(item.value, item.path)),
      namespaces,
      nonResourceURLs: urls,
      omitStages: this.stages(rule, path),
    };
  }

  private resources(item: JsonObject, path: string): PolicyResources {
    this.known(item, path, resourceMembers);
    const group = item['group'] ?? '';
    if (typeof group !== 'string' || group.includes('/'))
      this.add(at(path, 'group'), 'group must be a name without a version', path);
    const resources = this.texts(item, path, 'resources');
    const resourceNames = this.texts(item, path, 'resourceNames');
    if (resourceNames.length > 0 && resources.length === 0)
      this.add(at(path, 'resourceNames'), 'resourceNames require resources');
    return { group: typeof group === 'string' ? group : '', resources, resourceNames };
  }

  private url(url: string, path: string): void {
    if (url === '*') return;
    if (!url.startsWith('/')) this.add(path, `nonResourceURL ${JSON.stringify(url)} must begin with /`);
    if (url.slice(0, -1).includes('*'))
      this.add(path, `nonResourceURL ${JSON.stringify(url)} may have a * only at its end`);
  }

  private stages(holder: JsonObject, path: string): AuditStage[] {
    const words = this.texts(holder, path, 'omitStages');
    const known = auditStages.filter((stage) => words.includes(stage));
    for (const [i, word] of words.entries())
      if (!known.some((stage) => stage === word))
        this.add(
          `${at(path, 'omitStages')}[${String(i)}]`,
          `stage ${JSON.stringify(word)} must be one of ${auditStages.join(', ')}`,
        );
    return known;
  }

  private texts(holder: JsonObject, path: string, name: string): string[] {
    const list = holder[name] ?? [];
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
    this.add(at(path, name), `${name} must be a list of strings`);
    return [];
  }

  private objects(holder: JsonObject, path: string, name: string): { value: JsonObject; path: string }[] {
    const list = holder[name] ?? [];
    const place = at(path, name);
    if (Array.isArray(list) && list.every(isObject))
      return list.map((value, i) => ({ value, path: `${place}[${String(i)}]` }));
    this.add(place, `${name} must be a list of objects`);
    return [];
  }

  /** A misspelt word would make a rule match more requests than intended. */
  private known(holder: JsonObject, path: string, members: readonly string[]): void {
    for (const name of Object.keys(holder))
      if (!members.includes(name)) this.add(at(path, name), `unknown field ${JSON.stringify(name)}`);
  }

  /** @param otherwise the path whose line is reported when `path` is not in the text */
  private add(path: string, problem: string, otherwise = path): void {
    const line = Math.max(this.lineOf(path), this.lineOf(otherwise));
    this.errors.push(`line ${String(line)}: ${problem}`);
  }
}

interface Parsed {
  readonly root: JsonValue | undefined;
  readonly lineOf: (path: string) => number;
  readonly error?: string;
}

function parse(source: string): Parsed {
  try {
    return { root: load(source) as JsonValue | undefined, lineOf: linesOfYaml(source) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 1;
    return { root: undefined, lineOf: () => 1, error: `line ${String(line)}: invalid YAML` };
  }
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
