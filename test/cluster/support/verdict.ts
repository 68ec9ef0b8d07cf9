/** Holds what was listed and watched against the ledger; gives errors in words, none when all is well. */
import type { ApiList, WatchEvent } from '../../support/client.ts';
import type { Ledger } from './ledger.ts';
import { sequenceOf } from './writer.ts';

/** Every acknowledged write is there, at its version or a later one; what was deleted is gone. */
export function judgeList(where: string, list: ApiList, ledger: Ledger): string[] {
  const items = new Map(list.items.map((item) => [item.metadata.name, item]));
  const errors: string[] = [];
  for (const write of ledger.latest()) {
    const item = items.get(write.name);
    if (item === undefined) {
      if (!ledger.uncertain.has(write.name)) errors.push(`${where}: ${write.name} is lost`);
    } else if (
      BigInt(item.metadata.resourceVersion) < BigInt(write.resourceVersion) ||
      sequenceOf(item) < write.sequence
    ) {
      errors.push(
        `${where}: ${write.name} is at ${item.metadata.resourceVersion}, acknowledged ${write.resourceVersion}`,
      );
    }
  }
  for (const name of ledger.deleted) if (items.has(name)) errors.push(`${where}: ${name} is back`);
  return errors;
}

/** Revisions grow from event to event, and each acknowledged write and deletion was told exactly once. */
export function judgeEvents(who: string, events: readonly WatchEvent[], ledger: Ledger): string[] {
  return [
    ...judgeOrder(who, events),
    ...judgeWrites(who, events, ledger),
    ...judgeDeletions(who, events, ledger),
  ];
}

function judgeOrder(who: string, events: readonly WatchEvent[]): string[] {
  const errors: string[] = [];
  let last = 0n;
  for (const { type, object } of events) {
    const version = BigInt(object.metadata.resourceVersion);
    if (version <= last) errors.push(`${who}: ${type} ${object.metadata.name} at ${version} after ${last}`);
    last = version;
  }
  return errors;
}

function judgeWrites(who: string, events: readonly WatchEvent[], ledger: Ledger): string[] {
  const told = new Map<string, WatchEvent>();
  for (const event of events)
    if (event.type !== 'DELETED') told.set(event.object.metadata.resourceVersion, event);
  const errors: string[] = [];
  for (const { name, sequence, resourceVersion } of ledger.acked) {
    const event = told.get(resourceVersion);
    const isRight = event?.object.metadata.name === name && sequenceOf(event.object) === sequence;
    if (!isRight) errors.push(`${who}: missed ${name} at ${resourceVersion}`);
  }
  return errors;
}

function judgeDeletions(who: string, events: readonly WatchEvent[], ledger: Ledger): string[] {
  const counts = new Map<string, number>();
  for (const { type, object } of events) {
    if (type === 'DELETED') counts.set(object.metadata.name, (counts.get(object.metadata.name) ?? 0) + 1);
  }
  return [...ledger.deleted]
    .filter((name) => counts.get(name) !== 1)
    .map((name) => `${who}: the deletion of ${name} was told ${counts.get(name) ?? 0} times`);
}
