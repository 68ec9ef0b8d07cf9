/** Orders of faults as JSON: which members each kind has, and what they are. */
import { badRequest } from '../../meta/status.ts';
import type { FaultKind, FaultOrder } from '../fault-orders.ts';

interface Shape {
  readonly is: (value: unknown) => boolean;
  /** As a sentence goes on: `give …`. */
  readonly give: string;
}

type Shapes = Readonly<Record<string, Shape>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const text: Shape = { is: isText, give: 'a text' };
const texts: Shape = {
  is: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  give: 'a text or a list of texts',
};
const number: Shape = { is: (value) => typeof value === 'number', give: 'a number' };
const boolean: Shape = { is: (value) => typeof value === 'boolean', give: 'true or false' };

const scope: Shapes = {
  ...{ user: text, verb: texts, resource: texts, namespace: text, name: text },
  ...{ rate: number, times: number, after: number, requests: texts, includeAdminClient: boolean },
};

/** Of each kind, beside `kind` and `scope`; those of `required` cannot be left out. */
const kinds: ReadonlyMap<FaultKind, Shapes> = new Map<FaultKind, Shapes>([
  ['closeWatches', { cut: boolean }],
  ['expireHistory', {}],
  ['staleReads', { by: text }],
  ['lagReplica', { by: text }],
  ['conflicts', {}],
  ['delay', { by: text }],
  ['refuse', { status: number, retryAfter: number }],
  ['restart', { downFor: text }],
  ['loseAnswers', { as: { is: (value) => value === 'cut' || value === 'timeout', give: 'cut or timeout' } }],
]);
const required: ReadonlySet<string> = new Set(['by', 'status']);

/** Members that a message names, of an order that has more wrong ones. */
const mostNamed = 10;

/**
 * The order in a body.
 * @throws StatusError 400 with all members that are wrong
 */
export function faultOrderOf({ kind, scope: scoped = {}, ...members }: Record<string, unknown>): FaultOrder {
  const shapes = kinds.get(kind as FaultKind);
  if (shapes === undefined) throw badRequest(`kind: give one of ${[...kinds.keys()].join(', ')}`);
  const missing = Object.keys(shapes).filter((name) => required.has(name) && !Object.hasOwn(members, name));
  const errors = [
    ...missing.map((name) => `${name}: give ${String(shapes[name]?.give)}`),
    ...wrongMembers('', members, shapes),
    ...wrongScope(scoped),
  ];
  if (errors.length > 0) throw badRequest(errors.slice(0, mostNamed).join('; '));
  // Each member has been looked at; what numbers and durations may be is checked where they are used.
  return { kind, scope: scoped, ...members } as unknown as FaultOrder;
}

function wrongScope(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return ['scope: give an object of JSON'];
  return wrongMembers('scope.', value, scope);
}

function wrongMembers(path: string, members: object, shapes: Shapes): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined) return [`${path}${name}: there is no such member`];
    return shape.is(value) ? [] : [`${path}${name}: give ${shape.give}`];
  });
}
