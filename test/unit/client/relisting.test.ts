/** Who waits for controllers waits for informers that list again, too, and for none that has stopped. */
import { Relisting } from '../../../src/client/relisting.ts';
import { resourceRef } from '../../support/fake-api-client.ts';

const maps = resourceRef('Map');
const ignore = (): void => undefined;
const watchOf = (informer: object, fieldSelector = '') => ({
  ...{ resourceVersion: '1', fieldSelector, informer },
  ...{ onEvent: ignore, onProgress: ignore },
});

test('an informer lists from the end of its watch until it watches again, or stops', () => {
  const relisting = new Relisting();
  const stop = new AbortController();
  const [one, other] = [watchOf({}), watchOf({}, 'metadata.name=a')];
  relisting.begin(maps, one, new AbortController().signal);
  relisting.begin(maps, other, stop.signal);
  const state = { queue: 'informers', state: 'working', dueInMs: 0 };
  expect([...relisting.left()]).toEqual([
    { ...state, key: `${maps.resource}.${maps.group}`.trimEnd() },
    { ...state, key: `${maps.resource}.${maps.group} metadata.name=a` },
  ]);
  relisting.end(one);
  expect([...relisting.left()].map(({ key }) => key)).toEqual([
    `${maps.resource}.${maps.group} metadata.name=a`,
  ]);
  stop.abort();
  expect([...relisting.left()]).toEqual([]);
});
