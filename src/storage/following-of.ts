/** What follows etcd for a storage: itself, or another storage that feeds it. */
import type { MessagePort } from 'node:worker_threads';
import type { Fences } from './fences.ts';
import type { FedEntries } from './feed/fed-entries.ts';
import { FedFollower } from './feed/fed-follower.ts';
import { Follower, type FollowerDependencies } from './follower.ts';
import type { Following } from './following.ts';
import type { Newest } from './newest.ts';
import { NewestOfEtcd } from './newest-of-etcd.ts';

interface Feed {
  /** From the thread that follows etcd. */
  readonly port: MessagePort;
  readonly fedEntries: FedEntries;
}

/** @param feed undefined if this storage follows etcd */
export function followingOf(
  feed: Feed | undefined,
  deps: FollowerDependencies & { readonly fences: Fences },
): { readonly follower: Following; readonly newest: Newest } {
  if (feed !== undefined) {
    const follower = new FedFollower({ ...deps, ...feed });
    return { follower, newest: follower.newest };
  }
  const follower = new Follower(deps);
  return { follower, newest: new NewestOfEtcd({ ...deps, follower }) };
}
