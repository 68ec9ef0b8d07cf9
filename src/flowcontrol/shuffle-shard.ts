/**
 * Shuffle sharding (KEP 1040): each flow is dealt a hand of a few queues out of many. Two flows rarely share the whole
 * hand, so a flow that fills its own queues leaves most others one that is free.
 */
import { hash } from 'node:crypto';

/** 64 bits that stand for a flow; `seed` keeps outsiders from choosing names that share a hand. */
export function flowHash(seed: string, schema: string, distinguisher: string): bigint {
  const digest = hash('sha256', `${seed} ${String(schema.length)} ${schema}${distinguisher}`, 'buffer');
  return digest.readBigUInt64LE(0);
}

/**
 * Deals `handSize` different numbers below `queues`: the same for the same value, all hands about equally often.
 * Validation keeps the number of hands below 2^60, so that 64 bits distinguish them.
 */
export function dealHand(value: bigint, queues: number, handSize: number): number[] {
  const hand: number[] = [];
  const sorted: number[] = [];
  let rest = value;
  for (let left = queues; left > queues - handSize; left--) {
    const card = skipDealt(Number(rest % BigInt(left)), sorted);
    rest /= BigInt(left);
    hand.push(card);
  }
  return hand;
}

/** The number at this place among those that were not dealt yet; it is dealt then. */
function skipDealt(place: number, sorted: number[]): number {
  let card = place;
  let at = 0;
  for (const dealt of sorted) {
    if (card < dealt) break;
    card += 1;
    at += 1;
  }
  sorted.splice(at, 0, card);
  return card;
}
