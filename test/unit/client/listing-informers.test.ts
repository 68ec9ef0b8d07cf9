/** Who waits for controllers waits for informers that list, too, and for none that has stopped. */
import { ListingInformers } from '../../../src/client/listing-informers.ts';
import { resourceRef } from '../../support/fake-api-client.ts';

const maps = resourceRef('Map');
const ignore = (): void => undefined;
const watchOf = (informer: object, fieldSelector = '') => ({
  ...{ resourceVersion: '1', fieldSelector, informer },
  ...{ onEvent: ignore, onProgress: ignore },
});

test('an informer lists from its start, or from the end of its watch, until it watches or stops', () => {
  const informers = new ListingInformers();
  const stop = new AbortController();
  const [one, other] = [watchOf({}), watchOf({}, 'metadata.name=a')];
  informers.begin(maps, one, new AbortController().signal);
  informers.beginAgain(maps, other, stop.signal);
  // It lists now.
  informers.begin(maps, other, stop.signal);
  const left = { queue: 'informers', dueInMs: 0 };
  expect([...informers.left()]).toEqual([
    { ...left, state: 'starting', key: `${maps.resource}.${maps.group}`.trimEnd() },
    { ...left, state: 'working', key: `${maps.resource}.${maps.group} metadata.name=a` },
  ]);
  informers.end(one);
  expect([...informers.left()].map(({ key }) => key)).toEqual([
    `${maps.resource}.${maps.group} metadata.name=a`,
  ]);
  stop.abort();
  expect([...informers.left()]).toEqual([]);
});
