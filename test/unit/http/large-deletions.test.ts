/** Deletion of a collection leaves objects that take long to parse to a write thread, as a single deletion does. */
import { deletionsElsewhere } from '../../../src/http/writes/large-deletions.ts';
import type { LargeWrites } from '../../../src/http/writes/large-writes.ts';
import type { WriteAnswer, WriteRequest } from '../../../src/http/writes/write-request.ts';
import { notFound, tooManyRequests } from '../../../src/meta/status.ts';
import type { DeleteElsewhere } from '../../../src/registry/types.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { plainDelete, scope } from '../../support/registry.ts';

/** Of so much text, by default 100 KB: with many members, or one long text. */
function entry(name: string, members: number, bytes = 1e5): Entry {
  const data = Object.fromEntries(
    Array.from({ length: members }, (_, i) => [`k${i}`, 'v'.repeat(bytes / members)]),
  );
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, data };
  return newEntry('core/configmaps', `ns/${name}`, Buffer.from(JSON.stringify(object)), 7);
}

const many = entry('a', 6_000);
const maps = scope('configmaps', { namespace: 'ns', dryRun: true });

/** Write threads whose answers the test gives. */
class Threads implements LargeWrites {
  readonly writes: WriteRequest[] = [];
  readonly answers: PromiseWithResolvers<WriteAnswer>[] = [];
  readonly performGrown = (): never => {
    throw new Error('a deletion does not grow');
  };

  takes({ name }: WriteRequest): boolean {
    return name !== 'small';
  }

  perform(write: WriteRequest): Promise<WriteAnswer> {
    this.writes.push(write);
    const answer = Promise.withResolvers<WriteAnswer>();
    this.answers.push(answer);
    return answer.promise;
  }
}

function deletions(threads: Threads): DeleteElsewhere {
  const elsewhere = deletionsElsewhere(threads, 'deletecollection', {
    ...plainDelete,
    gracePeriodSeconds: 3,
  });
  if (!elsewhere) throw new Error('all is deleted here');
  return elsewhere;
}

const deleted = { kind: 'deleted', entry: many, removed: true } as const;

test('one with many members is the write that its own deletion is', async () => {
  const threads = new Threads();
  const deletion = deletions(threads)(maps, 'a', many);
  threads.answers[0]?.resolve(deleted);
  expect(await deletion).toMatchObject({ removed: true, entry: many });
  expect(threads.writes).toMatchObject([
    {
      ...{
        operation: 'delete',
        verb: 'deletecollection',
        resource: maps.resource.gvr,
        namespace: 'ns',
        name: 'a',
      },
      ...{ dryRun: true, user: maps.user, deletion: { gracePeriodSeconds: 3 } },
    },
  ]);
});

test('small ones and long texts are deleted here, and all where there are no threads', () => {
  const elsewhere = deletions(new Threads());
  expect(elsewhere(maps, 'small', entry('small', 5_100, 0))).toBeUndefined();
  expect(elsewhere(maps, 'a', entry('a', 1))).toBeUndefined();
  expect(deletionsElsewhere(undefined, 'deletecollection', plainDelete)).toBeUndefined();
});

test('a collection takes one place at a time; once one is refused, those that wait are', async () => {
  const threads = new Threads();
  const elsewhere = deletions(threads);
  const outcomes = Promise.allSettled(['a', 'b', 'c'].map(async (name) => elsewhere(maps, name, many)));
  expect(threads.writes).toHaveLength(1);
  threads.answers[0]?.reject(tooManyRequests('busy', 1));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(threads.writes).toHaveLength(1);
});

test('what the thread does not find is asked for here, and the others go on', async () => {
  const threads = new Threads();
  const elsewhere = deletions(threads);
  const first = elsewhere(maps, 'a', many);
  const second = elsewhere(maps, 'b', many);
  threads.answers[0]?.reject(notFound(maps.resource.gvr, 'a'));
  expect(await first).toBeUndefined();
  threads.answers[1]?.resolve(deleted);
  expect(await second).toMatchObject({ removed: true });
});

test('one whose stored text is small, but not what the version shows, is deleted in a thread', async () => {
  const threads = new Threads();
  const deletion = deletions(threads)(maps, 'small', many);
  threads.answers[0]?.resolve(deleted);
  expect(await deletion).toMatchObject({ removed: true });
});

test('the verb hands them over', async () => {
  const threads = new Threads();
  const folder = await makeTempFolder('large-deletions');
  const room = await openRoom(folder.path, { largeWrites: threads });
  try {
    room.verbs.entries = [many];
    const answer = room.ask('/api/v1/namespaces/ns/pods?dryRun=All', { method: 'DELETE' });
    await waitFor('its write', () => threads.answers.length === 1);
    threads.answers[0]?.resolve(deleted);
    expect((await answer).code).toBe(200);
    expect(threads.writes).toMatchObject([{ operation: 'delete', name: 'a', dryRun: true }]);
  } finally {
    await room.close();
    await folder.remove();
  }
});

test('one with few commas and many lists below lists has many members', () => {
  const threads = new Threads();
  const chain = '['.repeat(900) + ']'.repeat(900);
  const text = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"},"x":[${chain},${chain},${chain},${chain},${chain},${chain}],"y":"${'v'.repeat(6e4)}"}`;
  void deletions(threads)(maps, 'b', newEntry('core/configmaps', 'ns/b', Buffer.from(text), 7));
  expect(threads.writes).toHaveLength(1);
});
