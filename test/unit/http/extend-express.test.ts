/** Middleware and routers of a program that uses the library: before the API, beside it, and what becomes of their errors. */
import express, { Router } from 'express';
import type { ExtendExpress } from '../../../src/http/express-shell.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const namespaces = '/api/v1/namespaces';
const secret = 'the password is 1234';

const extend: ExtendExpress = (app) => {
  app.use((req, res, next) => {
    res.setHeader('X-Before', req.path);
    if (req.headers['x-refuse'] === 'yes') next(new Error(secret));
    else if (req.headers['x-refuse'] === 'denied')
      next(Object.assign(new Error('not from here'), { status: 403 }));
    else next();
  });
  const shop = Router();
  shop.get('/items/:id', (req, res) => {
    res.json({ id: req.params.id });
  });
  shop.post('/items', express.json({ limit: 100 }), (req, res) => {
    res.status(201).json(req.body);
  });
  shop.get('/thrown', () => {
    throw new Error(secret);
  });
  shop.get('/rejected', async () => {
    await Promise.reject(new Error(secret));
  });
  shop.get('/late', (_req, res) => {
    res.write('half');
    throw new Error(secret);
  });
  app.use('/shop', shop);
};

describe('Express extended by the program', () => {
  let folder: TempFolder;
  let room: HttpRoom;
  beforeAll(async () => {
    folder = await makeTempFolder('extend-express');
    room = await openRoom(folder.path, { extendExpress: extend });
  });
  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test('middleware comes before the API', async () => {
    const { code, headers } = await room.ask(namespaces);
    expect([code, headers['x-before']]).toEqual([200, namespaces]);
  });

  test('a router answers beside the API, without its authentication', async () => {
    const asked = room.asked.length;
    const found = await room.ask('/shop/items/7');
    expect([found.code, found.json()]).toEqual([200, { id: '7' }]);
    const body = JSON.stringify({ a: 1 });
    const made = await room.ask('/shop/items', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([made.code, made.json()]).toEqual([201, { a: 1 }]);
    expect(room.asked.length).toBe(asked);
  });

  test('requests without a router are served by the API', async () => {
    const asked = room.asked.length;
    expect((await room.ask('/shop/other')).code).toBe(404);
    expect(room.asked.length).toBe(asked + 1);
  });

  test.each<[string, string, Record<string, string>]>([
    ['middleware', namespaces, { 'x-refuse': 'yes' }],
    ['a handler that throws', '/shop/thrown', {}],
    ['a handler that rejects', '/shop/rejected', {}],
  ])(
    'an unknown error of %s is a 500 with an audit id, and never goes on to the API',
    async (_what, path, headers) => {
      const asked = room.asked.length;
      const answer = await room.ask(path, { headers });
      expect(answer.code).toBe(500);
      expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: 500 });
      expect(answer.text).not.toContain(secret);
      expect(answer.headers['audit-id']).toMatch(/^[-0-9a-f]{36}$/);
      expect(room.asked.length).toBe(asked);
      expect(room.logs.at(-1)).toMatchObject({
        level: 'error',
        fields: { path, auditId: answer.headers['audit-id'] },
      });
    },
  );

  test('an error that names a mistake of the client is answered with its code', async () => {
    const denied = await room.ask(namespaces, { headers: { 'x-refuse': 'denied' } });
    expect(denied.json()).toMatchObject({ kind: 'Status', code: 403, message: 'not from here' });
    const headers = { 'content-type': 'application/json' };
    const large = await room.ask('/shop/items', {
      method: 'POST',
      headers,
      body: JSON.stringify('x'.repeat(200)),
    });
    expect(large.json()).toMatchObject({ kind: 'Status', code: 413 });
    expect((await room.ask('/shop/items/%zz')).json()).toMatchObject({ kind: 'Status', code: 400 });
  });

  test('an error behind the head of an answer ends the connection', async () => {
    await expect(room.ask('/shop/late')).rejects.toThrow();
  });

  test('a target that Express cannot take apart is refused by the API as ever', async () => {
    expect((await room.ask('/api/v1/%zz')).code).toBe(400);
  });
});
