/** Clients that all write one object, each in its own way, and note what they were told. */
import { randomInt } from 'node:crypto';

import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';

export interface Told {
  readonly who: string;
  /** The annotation that the write set, and to what. */
  readonly key: string;
  readonly value: string;
  readonly resourceVersion: string;
}

/** What all rivals share. */
export interface Arena {
  readonly clients: readonly ApiClient[];
  /** The object's path. */
  readonly path: string;
  readonly told: Told[];
  /** Answers that must not be, in words. */
  readonly errors: string[];
  /** How many conflicts there were. */
  conflicts: number;
}

/** One way of writing: sends its `turn`-th write; undefined is told what to set. */
export type Attempt = (arena: Arena, who: string, turn: number) => Promise<Sent>;

interface Sent {
  readonly answer: Answer;
  readonly key: string;
  readonly value: string;
}

function anyOf({ clients }: Arena): ApiClient {
  const client = clients[randomInt(clients.length)];
  if (!client) throw new Error('no replica');
  return client;
}

/** Reads the counter, adds one and replaces the object as it was read. */
export const increment: Attempt = async (arena) => {
  const read = await anyOf(arena).get(arena.path);
  if (read.status !== 200) return { answer: read, key: 'counter', value: '' };
  const object = read.json();
  const value = String(Number(object.metadata.annotations?.['counter'] ?? '0') + 1);
  object.metadata.annotations = { ...object.metadata.annotations, counter: value };
  return { answer: await anyOf(arena).put(arena.path, object), key: 'counter', value };
};

export const mergePatch: Attempt = async (arena, who, turn) => {
  const annotations = { [who]: String(turn) };
  const answer = await anyOf(arena).patch(arena.path, 'merge', { metadata: { annotations } });
  return { answer, key: who, value: String(turn) };
};

/** Applies one annotation of its own, and one that all appliers take from each other. */
export const forcedApply: Attempt = async (arena, who, turn) => {
  const value = String(turn);
  const metadata = { annotations: { [who]: value, applied: `${who}/${value}` } };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  const answer = await anyOf(arena).patch(`${arena.path}?fieldManager=${who}&force=true`, 'apply', body);
  return { answer, key: who, value };
};

/** Writes until `goal` writes were acknowledged; a conflict is tried again from the start. */
export async function rival(arena: Arena, who: string, attempt: Attempt, goal: number): Promise<void> {
  for (let turn = 1; turn <= goal;) {
    const { answer, key, value } = await attempt(arena, who, turn);
    if (answer.status === 200) {
      arena.told.push({ who, key, value, resourceVersion: answer.json().metadata.resourceVersion });
      turn += 1;
    } else if (answer.status === 409) arena.conflicts += 1;
    else {
      arena.errors.push(`${who} was answered ${String(answer.status)}: ${answer.text.slice(0, 300)}`);
      return;
    }
  }
}

/** Every acknowledged write is one event of its own that carries what was written. Errors in words. */
export function judgeTold(told: readonly Told[], events: readonly ApiObject[]): string[] {
  const byVersion = new Map(events.map((object) => [object.metadata.resourceVersion, object]));
  const claimed = new Map<string, string>();
  const errors: string[] = [];
  for (const { who, key, value, resourceVersion } of told) {
    const other = claimed.get(resourceVersion);
    if (other !== undefined) errors.push(`${who} and ${other} were both told ${resourceVersion}`);
    claimed.set(resourceVersion, who);
    const seen = byVersion.get(resourceVersion)?.metadata.annotations?.[key];
    if (seen !== value) errors.push(`${who}: ${key}=${value} at ${resourceVersion} is ${seen ?? 'missing'}`);
  }
  return errors;
}

/** Each event is one write: exactly one annotation moves, by one, from event to event. */
export function judgeSteps(events: readonly ApiObject[]): string[] {
  const errors: string[] = [];
  let before: Record<string, string> = {};
  for (const { metadata } of events) {
    const now = metadata.annotations ?? {};
    const moved = Object.keys(now).filter((key) => key !== 'applied' && now[key] !== before[key]);
    const [key = ''] = moved;
    const isNext = Number(now[key]) === Number(before[key] ?? '0') + 1;
    if (moved.length !== 1 || !isNext) {
      errors.push(
        `${metadata.resourceVersion} moves ${moved.map((k) => `${k} to ${now[k] ?? ''}`).join(', ')}`,
      );
    }
    before = now;
  }
  return errors;
}
