import { detailsOf } from '../../../src/meta/status-details.ts';

test('what a Status has is taken over', () => {
  const details = {
    ...{ name: 'a', group: 'g', kind: 'k', uid: 'u', retryAfterSeconds: 2 },
    causes: [{ reason: 'r', message: 'm', field: 'f' }],
  };
  expect(detailsOf(details)).toEqual(details);
});

test.each([
  [{ name: 1, kind: null, retryAfterSeconds: '2', more: 'x' }, {}],
  [{ causes: 7 }, {}],
  [{ causes: [null, 'x', { message: 1, more: 2 }] }, { causes: [{}] }],
])('what no Status has is left out: %j', (said, want) => {
  expect(detailsOf(said)).toEqual(want);
});
