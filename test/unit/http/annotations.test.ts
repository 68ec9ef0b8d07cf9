/** What a request's record in the audit log is given. */
import { createAlwaysDeny } from '../../../src/authz/always.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { Arrivals } from '../../../src/base/arrivals.ts';
import { RequestContext } from '../../../src/http/request-context.ts';

test('annotations are kept with the request, what is said first of a key, and not without bound', () => {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  const context = new RequestContext(req, res, {
    ...systemEnvironment,
    authorizer: createAlwaysDeny(),
    turns: new Arrivals(),
    isDraining: false,
    keepsHeads: false,
    challenge: '',
    compresses: true,
  });
  expect(context.annotations).toBeUndefined();
  context.annotate('hook/why', 'first');
  context.annotate('hook/why', 'second');
  context.annotate('hook/patch', '[]', 'Request');
  expect([...(context.annotations ?? [])]).toEqual([
    ['hook/why', { value: 'first', level: undefined }],
    ['hook/patch', { value: '[]', level: 'Request' }],
  ]);
  for (let i = 0; i < 1_000; i++) context.annotate(`key-${String(i)}`, '');
  expect(context.annotations?.size).toBe(256);
});
