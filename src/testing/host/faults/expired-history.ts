/** Verbs of a service whose history begins at a revision, as after a compaction of etcd. */
import type { Query } from '../../../http/query.ts';
import { expired } from '../../../meta/status.ts';
import { decodeContinueToken } from '../../../registry/read/continue-token.ts';
import type { ResourceVerbs } from '../../../registry/types.ts';

/** The version of the past that a list or a watch needs; 0 if it needs none. */
export function askedVersionOf(verb: string, query: Pick<Query, 'get'>): number {
  if (verb === 'watch') return Number(query.get('resourceVersion'));
  if (verb !== 'list') return 0;
  const token = query.get('continue');
  if (token !== '') return decodeContinueToken(token).revision ?? 0;
  return query.get('resourceVersionMatch') === 'Exact' ? Number(query.get('resourceVersion')) : 0;
}

/** Refuses lists and watches in the words of the registry. @param first the earliest revision that is there */
export function withHistoryFrom(first: number, verbs: ResourceVerbs): ResourceVerbs {
  const refuse = (version: string): Promise<never> =>
    Promise.reject(
      expired(
        `too old resource version: ${version} (${String(first)}); list again and start from the version of that list`,
      ),
    );
  return {
    ...verbs,
    list: (_scope, { resourceVersion }) => refuse(resourceVersion),
    watch: (_scope, { resourceVersion }) => refuse(resourceVersion),
  };
}
