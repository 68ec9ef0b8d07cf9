/**
 * Reads an AuthorizationConfiguration (kube-apiserver: apiserver.config, with its validation). All errors are found, each with
 * its line and the path of its field.
 */
import { isAbsolute } from 'node:path';
import {
  plainAuthorizerTypes,
  type PlainAuthorizer,
  type WebhookAuthorizerRules,
} from '../authz/webhook/configured-authorizers.ts';
import { dns1123Subdomain } from '../api/validation/name-rules.ts';
import { parseDurationMs } from '../base/duration.ts';
import type { JsonObject } from '../base/json.ts';
import { reviewEnvironment } from '../cel/access/environments.ts';
import { compileTo } from '../cel/admission/environment.ts';
import { boolType } from '../cel/language/types.ts';
import { addDuplicates, addInvalid, addProblem, addRequired, objectAt } from './placed-problems.ts';
import { at, type Placed, type YamlFile } from './yaml-file.ts';

const versions: readonly (readonly [version: string, since: number])[] = [
  ['v1', 32],
  ['v1beta1', 30],
  ['v1alpha1', 29],
];
const types = ['Webhook', ...plainAuthorizerTypes] as const;
const mostConditions = 64;

/** Authorizers whose webhooks have the path of a kubeconfig file. */
export type ReadAuthorizer = PlainAuthorizer | WebhookAuthorizerRules<string>;

/** Errors are added to those of the file. @param minor of the emulated release */
export function readAuthorizers(
  file: YamlFile,
  { apiDomain, minor }: { readonly apiDomain: string; readonly minor: number },
): ReadAuthorizer[] {
  const known = versions
    .filter(([, since]) => since <= minor)
    .map(([version]) => `apiserver.config.${apiDomain}/${version}`);
  const kind = 'AuthorizationConfiguration';
  const root = file.typed(file.root, { kind, versions: known }, ['authorizers']);
  if (!root) return [];
  const list = file.objects(root, 'authorizers');
  if (list.length === 0)
    addRequired(file, root, 'authorizers', 'at least one authorization mode must be defined');
  const read = list.map((one) => readAuthorizer(file, one, minor));
  const place = (index: number): Placed<unknown> => list[index] ?? root;
  const plainType = ({ type }: Pick<ReadAuthorizer, 'type'>): string => (type === 'Webhook' ? '' : type);
  addDuplicates(
    file,
    read.map((one) => (one ? plainType(one) : '')),
    (index) => [place(index), 'type'],
  );
  addDuplicates(
    file,
    read.map((one) => one?.name ?? ''),
    (index) => [place(index), 'name'],
  );
  return read.filter((one) => one !== undefined);
}

function readAuthorizer(file: YamlFile, one: Placed<JsonObject>, minor: number): ReadAuthorizer | undefined {
  file.known(one, ['type', 'name', 'webhook']);
  const [type, name] = [file.text(one, 'type'), file.text(one, 'name')];
  if (name === '') addRequired(file, one, 'name');
  else for (const detail of dns1123Subdomain(name)) addInvalid(file, one, 'name', { value: name, detail });
  const webhook = objectAt(file, one, 'webhook');
  const known = types.find((word) => word === type);
  if (type === '') addRequired(file, one, 'type');
  else if (known === undefined)
    addProblem(
      file,
      one,
      'type',
      `Unsupported value: ${JSON.stringify(type)}: supported values: ${types.join(', ')}`,
    );
  if (known === undefined) return undefined;
  if (known !== 'Webhook') {
    if (webhook)
      addInvalid(file, one, 'webhook', {
        value: 'non-null',
        detail: 'may only be specified when type=Webhook',
      });
    return { type: known, name };
  }
  if (!webhook) addRequired(file, one, 'webhook', 'required when type=Webhook');
  return {
    type: known,
    name,
    ...readWebhook(file, webhook ?? { value: {}, path: at(one.path, 'webhook') }, minor),
  };
}

const members = [
  ...['authorizedTTL', 'unauthorizedTTL', 'timeout', 'subjectAccessReviewVersion'],
  ...['matchConditionSubjectAccessReviewVersion', 'failurePolicy', 'connectionInfo', 'matchConditions'],
];
/** Since release 1.34 caches can be switched off. */
const switchesSince = 34;
const switches = ['cacheAuthorizedRequests', 'cacheUnauthorizedRequests'] as const;

type WebhookParts = Omit<WebhookAuthorizerRules<string>, 'type' | 'name'>;

function readWebhook(file: YamlFile, webhook: Placed<JsonObject>, minor: number): WebhookParts {
  file.known(webhook, [...members, ...(minor >= switchesSince ? switches : [])]);
  const caches = (name: (typeof switches)[number]): boolean => file.boolean(webhook, name, true);
  const conditions = readConditions(file, webhook, minor);
  const conditionVersion = file.text(webhook, 'matchConditionSubjectAccessReviewVersion');
  if (conditions.length > 0 && conditionVersion === '')
    addRequired(
      file,
      webhook,
      'matchConditionSubjectAccessReviewVersion',
      'required if match conditions are specified',
    );
  if (conditionVersion !== '' && conditionVersion !== 'v1')
    addProblem(
      file,
      webhook,
      'matchConditionSubjectAccessReviewVersion',
      `Unsupported value: ${JSON.stringify(conditionVersion)}: supported values: v1`,
    );
  const authorizedTtlMs = duration(file, webhook, { name: 'authorizedTTL', otherwise: '5m' });
  const unauthorizedTtlMs = duration(file, webhook, { name: 'unauthorizedTTL', otherwise: '30s' });
  return {
    authorizedTtlMs: caches('cacheAuthorizedRequests') ? authorizedTtlMs : 0,
    unauthorizedTtlMs: caches('cacheUnauthorizedRequests') ? unauthorizedTtlMs : 0,
    timeoutMs: duration(file, webhook, { name: 'timeout', mostMs: 30_000 }),
    version: choice(file, webhook, 'subjectAccessReviewVersion', ['v1', 'v1beta1']),
    failurePolicy: choice(file, webhook, 'failurePolicy', ['NoOpinion', 'Deny']),
    conditions,
    access: readConnection(file, webhook),
  };
}

function choice<T extends string>(
  file: YamlFile,
  webhook: Placed<JsonObject>,
  name: string,
  words: readonly [T, ...T[]],
): T {
  const text = file.text(webhook, name);
  const known = words.find((word) => word === text);
  if (text === '') addRequired(file, webhook, name);
  else if (known === undefined)
    addProblem(
      file,
      webhook,
      name,
      `Unsupported value: ${JSON.stringify(text)}: supported values: ${words.join(', ')}`,
    );
  return known ?? words[0];
}

function duration(
  file: YamlFile,
  webhook: Placed<JsonObject>,
  {
    name,
    otherwise = '',
    mostMs = Infinity,
  }: { readonly name: string; readonly otherwise?: string; readonly mostMs?: number },
): number {
  const text = file.text(webhook, name) || otherwise;
  const ms = parseDurationMs(text) ?? 0;
  if (text === '') addRequired(file, webhook, name);
  else if (ms <= 0 || ms > mostMs)
    addInvalid(file, webhook, name, {
      value: text,
      detail: mostMs === Infinity ? 'must be > 0s' : 'must be > 0s and <= 30s',
    });
  return ms;
}

function readConnection(file: YamlFile, webhook: Placed<JsonObject>): string {
  const connection = objectAt(file, webhook, 'connectionInfo') ?? {
    value: {},
    path: at(webhook.path, 'connectionInfo'),
  };
  file.known(connection, ['type', 'kubeConfigFile']);
  const [type, path] = [file.text(connection, 'type'), file.text(connection, 'kubeConfigFile')];
  if (type === '') addRequired(file, connection, 'type');
  else if (type === 'InClusterConfig')
    addProblem(
      file,
      connection,
      'type',
      'Forbidden: InClusterConfig would make this server ask itself, use KubeConfigFile',
    );
  else if (type !== 'KubeConfigFile')
    addProblem(
      file,
      connection,
      'type',
      `Unsupported value: ${JSON.stringify(type)}: supported values: InClusterConfig, KubeConfigFile`,
    );
  if (type !== 'KubeConfigFile') return '';
  if (path === '') addRequired(file, connection, 'kubeConfigFile');
  else if (!isAbsolute(path))
    addInvalid(file, connection, 'kubeConfigFile', { value: path, detail: 'must be an absolute path' });
  else return path;
  return '';
}

/** A reload compiles few expressions: there are at most 64 for each webhook. */
function readConditions(file: YamlFile, webhook: Placed<JsonObject>, minor: number): string[] {
  const list = file.objects(webhook, 'matchConditions');
  if (list.length > mostConditions)
    addProblem(
      file,
      webhook,
      'matchConditions',
      `Too many: ${String(list.length)}: must have at most 64 items`,
    );
  const environment = reviewEnvironment(minor);
  const texts = list.map((condition) => {
    file.known(condition, ['expression']);
    const text = file.text(condition, 'expression');
    if (text === '') addRequired(file, condition, 'expression');
    const { problem } = text === '' ? {} : compileTo(text, environment, [boolType]);
    if (problem !== undefined) addInvalid(file, condition, 'expression', { value: text, detail: problem });
    return text;
  });
  addDuplicates(file, texts, (index) => [list[index] ?? webhook, 'expression']);
  return texts;
}
