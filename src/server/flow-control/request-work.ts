/** What requests cost at the emulated release, by what this process stores and who watches. */
import type { PassiveClock } from '../../base/clock.ts';
import { WatchCounts } from '../../flowcontrol/watch-counts.ts';
import { WorkEstimator, type StoredCount } from '../../flowcontrol/work-estimator.ts';
import type { WorkRules } from '../../flowcontrol/work-rules.ts';
import type { RequestWork } from '../../http/filters/priority-and-fairness.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { CollectionId, CollectionSnapshot, Storage } from '../../storage/types.ts';

export interface RequestWorkParts {
  readonly rules: WorkRules;
  readonly storage: Pick<Storage, 'view'>;
  readonly catalogue: () => ResourceCatalogue;
  readonly clock: Pick<PassiveClock, 'monotonic'>;
}

/** Objects of a collection whose sizes are read, for the average of all. */
const samples = 32;
/** The longest that an average is good. */
const meanForMs = 10_000;
const noObjects: StoredCount = { objects: 0, meanBytes: () => 0 };

/** Estimates by the watch cache: nothing is asked of etcd. */
export function createRequestWork(parts: RequestWorkParts): RequestWork {
  const watches = new WatchCounts();
  const means = new Map<CollectionId, number>();
  let meansUntil = 0;
  const meanOf = (snapshot: CollectionSnapshot): number => {
    const now = parts.clock.monotonic();
    if (now >= meansUntil) {
      // All at once, so that nothing is left of collections that are gone.
      means.clear();
      meansUntil = now + meanForMs;
    }
    const known = means.get(snapshot.collection);
    if (known !== undefined) return known;
    const bytes = meanSize(snapshot);
    means.set(snapshot.collection, bytes);
    return bytes;
  };
  // Only of what is served: anybody may ask for any name.
  const stored = (info: RequestInfo): StoredCount => {
    const resource = parts.catalogue().resource(info.apiGroup, info.apiVersion, info.resource);
    if (!resource) return noObjects;
    const snapshot = parts.storage.view(resource.storage.collection);
    return { objects: snapshot.size, meanBytes: () => meanOf(snapshot) };
  };
  const watchesOf = (info: RequestInfo): number => watches.interestedIn(info);
  const estimator = new WorkEstimator({ rules: parts.rules, stored, watchesOf });
  return { watches, estimate: (info, query, flow) => estimator.estimate(info, query, flow) };
}

function meanSize(snapshot: CollectionSnapshot): number {
  const page = snapshot.page('', '', samples);
  return page.reduce((sum, entry) => sum + sizeOf(entry), 0) / Math.max(1, page.length);
}
