/** What follows etcd for a storage: itself, or another storage that feeds it. */
import type { MessagePort } from 'node:worker_threads';
import type { Fences } from './fences.ts';
import { FedFollower } from './feed/fed-follower.ts';
import { Follower, type FollowerDependencies } from './follower.ts';
import type { Following } from './following.ts';
import type { Newest } from './newest.ts';
import { NewestOfEtcd } from './newest-of-etcd.ts';

/** @param port from the thread that follows etcd; undefined if this storage does */
export function followingOf(
  port: MessagePort | undefined,
  deps: FollowerDependencies & { readonly fences: Fences },
): { readonly follower: Following; readonly newest: Newest } {
  if (port !== undefined) {
    const follower = new FedFollower({ ...deps, port });
    return { follower, newest: follower.newest };
  }
  const follower = new Follower(deps);
  return { follower, newest: new NewestOfEtcd({ ...deps, follower }) };
}
