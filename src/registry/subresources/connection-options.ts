/** Options of connections: their rules, and how the agent of a node takes them in its query. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { forbidden, invalid, type FieldError } from '../../meta/field-error.ts';

/** The rules of PodLogOptions. */
export function logErrors(options: JsonObject): FieldError[] {
  const { sinceSeconds, sinceTime } = options;
  const hasBoth = (sinceSeconds ?? null) !== null && (sinceTime ?? null) !== null;
  return [
    ...below(options, 'tailLines', 0, 'must be greater than or equal to 0'),
    ...below(options, 'limitBytes', 1, 'must be greater than 0'),
    ...(hasBoth ? [forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')] : []),
    ...below(options, 'sinceSeconds', 1, 'must be greater than 0'),
  ];
}

function below(options: JsonObject, name: string, least: number, rule: string): FieldError[] {
  const value = options[name];
  return typeof value === 'number' && value < least ? [invalid(name, value, rule)] : [];
}

/** How the agent takes each option; others are for this service alone. */
const taken = {
  log: {
    follow: 'true',
    previous: 'true',
    timestamps: 'true',
    sinceSeconds: 'text',
    sinceTime: 'text',
    tailLines: 'text',
    limitBytes: 'text',
  },
  exec: { stdin: '1', stdout: '1', stderr: '1', tty: '1', command: 'each' },
  attach: { stdin: '1', stdout: '1', stderr: '1', tty: '1' },
  portforward: { ports: 'joined' },
} as const;

/** What the agents of nodes call options otherwise. */
const agentNames: Readonly<Record<string, string>> = {
  stdin: 'input',
  stdout: 'output',
  stderr: 'error',
  ports: 'port',
};

export type AgentConnection = keyof typeof taken;

/** A path of the agent with its query. */
export function agentPath(segments: readonly string[], what: AgentConnection, options: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, how] of Object.entries(taken[what]) as [string, string][])
    for (const text of textsOf(options[name], how)) query.append(agentNames[name] ?? name, text);
  query.sort();
  const path = `/${segments.map(encodeURIComponent).join('/')}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function textsOf(value: JsonValue | undefined, how: string): string[] {
  if (value === undefined || value === null) return [];
  if (how === 'text') return [typeof value === 'string' ? value : JSON.stringify(value)];
  const list = Array.isArray(value) ? value.map(String) : [];
  if (how === 'each') return list;
  if (how === 'joined') return list.length === 0 ? [] : [list.join(',')];
  return value === true ? [how] : [];
}
