/**
 * EventRateLimit: no more writes of Events than the configuration allows; those beyond are 429. Each limit counts for
 * itself, and a write that one limit rejects still counts for the others. Replicas count apart.
 */
import { LRUCache } from 'lru-cache';
import type { Event as EventFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { PassiveClock } from '../base/clock.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { StatusError } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAboutGroup } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

/** What a limit counts apart: nothing, namespaces, users, or what Events are about and come from. */
export const eventLimitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

export type EventLimitType = (typeof eventLimitTypes)[number];

export interface EventLimit extends Rate {
  readonly type: EventLimitType;
  /** How many keys are counted at most; the least recently used one is evicted. */
  readonly cacheSize: number;
}

export function createEventRateLimit(
  limits: readonly EventLimit[],
  { apiDomain }: NamingProfile,
  clock: PassiveClock,
): AdmissionPlugin {
  const counters = limits.map((limit) => new Counter(limit, clock));
  const groups = ['', `events.${apiDomain}`];
  return {
    name: 'EventRateLimit',
    validate(attributes): void {
      const { operation, scope } = attributes;
      const isWrite = operation === 'CREATE' || operation === 'UPDATE';
      const isEvent = groups.some((group) => isAboutGroup(attributes, group, 'events'));
      if (isWrite && isEvent && !scope.dryRun) assertBelow(counters, attributes);
    },
  };
}

/** @throws StatusError 429 */
function assertBelow(counters: readonly Counter[], attributes: AdmissionAttributes): void {
  const problems = counters.flatMap((counter) => counter.count(attributes));
  if (problems.length === 0) return;
  const message = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  throw new StatusError(429, 'TooManyRequests', message);
}

class Counter {
  private readonly limit: EventLimit;
  private readonly clock: PassiveClock;
  private readonly buckets: LRUCache<string, TokenBucket>;

  constructor(limit: EventLimit, clock: PassiveClock) {
    this.limit = limit;
    this.clock = clock;
    this.buckets = new LRUCache({ max: limit.type === 'Server' ? 1 : limit.cacheSize });
  }

  /** Counts a write; returns the message when it exceeds the limit. */
  count(attributes: AdmissionAttributes): string[] {
    const { type } = this.limit;
    const key = keys[type](attributes);
    let bucket = this.buckets.get(key);
    if (!bucket) this.buckets.set(key, (bucket = new TokenBucket(this.limit, this.clock)));
    return bucket.tryTake() ? [] : [`limit reached on type ${type} for key ${key}`];
  }
}

const keys: Readonly<Record<EventLimitType, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ scope }) => scope.namespace,
  User: ({ scope }) => scope.user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject } = object as Stored<EventFields>;
    const { kind, namespace, name, uid, apiVersion } = involvedObject ?? {};
    return [source?.component, source?.host, kind, namespace, name, uid, apiVersion].join('');
  },
};
