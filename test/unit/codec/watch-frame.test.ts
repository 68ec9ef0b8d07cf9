import { encodeStored } from '../../../src/codec/stored.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import {
  bookmarkFrame,
  errorFrame,
  watchFrame,
  watchFrameOfText,
  writesZeroTime,
} from '../../../src/codec/watch-frame.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { expired } from '../../../src/meta/status.ts';

function parseLine(frame: Buffer): unknown {
  const text = frame.toString();
  expect(text.endsWith('}\n')).toBe(true);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return JSON.parse(text);
}

const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'ä', labels: { a: 'b' } } };

test.each(['ADDED', 'MODIFIED', 'DELETED'] as const)(
  'a frame of %s carries the object at its revision',
  (type) => {
    const expected = { type, object: { ...object, metadata: { ...object.metadata, resourceVersion: '42' } } };
    expect(parseLine(watchFrame(type, { bytes: encodeStored(object), modRevision: 42 }))).toEqual(expected);
  },
);

test('a frame of an object in another representation', () => {
  const text = JSON.stringify(object);
  expect(parseLine(watchFrameOfText('ADDED', text))).toEqual({ type: 'ADDED', object });
  expect(parseLine(watchFrameOfText('DELETED', Buffer.from(text)))).toEqual({ type: 'DELETED', object });
});

test('a bookmark carries kind and revision only', () => {
  const bookmark = {
    kind: 'Pod',
    apiVersion: 'v1',
    revision: 7,
    naming: namingProfiles.orch,
    writesZeroTime: true,
  };
  expect(parseLine(bookmarkFrame(bookmark))).toEqual({
    type: 'BOOKMARK',
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7', creationTimestamp: null } },
  });
  expect(parseLine(bookmarkFrame({ ...bookmark, writesZeroTime: false }))).toEqual({
    type: 'BOOKMARK',
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7' } },
  });
});

test('the bookmark behind the initial events is marked by the profile’s annotation', () => {
  const bookmark = {
    kind: 'Pod',
    apiVersion: 'v1',
    revision: 7,
    naming: namingProfiles.orch,
    writesZeroTime: true,
  };
  expect(parseLine(bookmarkFrame({ ...bookmark, initialEventsEnd: { emptyList: '{}' } }))).toMatchObject({
    object: {
      metadata: {
        annotations: {
          'orch.io/initial-events-end': 'true',
          'orch.io/initial-events-list-blueprint': Buffer.from('{}').toString('base64'),
        },
      },
    },
  });
});

test('an error frame holds the Status', () => {
  const { status } = expired('too old');
  expect(parseLine(errorFrame(status))).toEqual({ type: 'ERROR', object: status });
});

test.each([
  [33, true],
  [34, false],
])('objects of release 1.%d say that they have no time of creation: %s', (minor, isWritten) => {
  const schemas = loadCatalogueSchemas(namingProfiles.orch, minor);
  expect(writesZeroTime({ schema: schemas.get('core/v1.Pod') })).toBe(isWritten);
  // That of a custom resource is not looked at.
  const metadata = schemas.get('meta/v1.ObjectMeta');
  expect(writesZeroTime({ schema: schemas.get('meta/v1.ObjectMeta'), metadata })).toBe(isWritten);
});
