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

test.each([2 ** 31, -(2 ** 31) - 1, 1.5, 1e300, '5', null])(
  'seconds to wait that are no int32 are left out: %p',
  (seconds) => {
    expect(detailsOf({ name: 'a', retryAfterSeconds: seconds })).toEqual({ name: 'a' });
  },
);

test.each([0, 5, 2 ** 31 - 1])('seconds to wait stay: %p', (seconds) => {
  expect(detailsOf({ retryAfterSeconds: seconds })).toEqual({ retryAfterSeconds: seconds });
});
