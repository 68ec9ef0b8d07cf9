/**
 * A thread with servers in the place of collectors of traces, each of which does another kind of harm, so that their own work is
 * not measured. Tells their ports by what they do, and each connection.
 */
import { createServer as createHttp2, constants, type ServerHttp2Session } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** @param attack what becomes of each connection */
function serve(name: string, attack: (socket: Socket) => void): void {
  const server = createServer((socket) => {
    parentPort?.postMessage({ name });
    socket.on('error', () => undefined);
    attack(socket);
  });
  server.listen(0, '127.0.0.1', () => {
    parentPort?.postMessage({ name, port: (server.address() as { port: number }).port });
  });
}

/** @param attack what becomes of each session of HTTP/2 */
function serveSessions(name: string, attack: (session: ServerHttp2Session) => void): void {
  const http2 = createHttp2();
  http2.on('session', (session) => {
    session.on('error', () => undefined);
    session.on('stream', (stream) => stream.on('error', () => undefined));
    attack(session);
  });
  http2.on('sessionError', () => undefined);
  serve(name, (socket) => http2.emit('connection', socket));
}

function often(session: ServerHttp2Session, act: () => void): void {
  const timer = setInterval(() => {
    if (!session.destroyed) act();
  }, 1);
  session.on('close', () => {
    clearInterval(timer);
  });
}

const attacks: Readonly<Record<string, (name: string) => void>> = {
  'takes connections and says nothing': (name) => {
    serve(name, () => undefined);
  },
  'resets each connection': (name) => {
    serve(name, (socket) => socket.resetAndDestroy());
  },
  'sends garbage': (name) => {
    serve(name, (socket) => {
      socket.write(Buffer.alloc(1024 * 1024, 0xff));
    });
  },
  'resets each call': (name) => {
    serveSessions(name, (session) => {
      session.on('stream', (stream) => {
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      });
    });
  },
  'takes calls and reads nothing': (name) => {
    serveSessions(name, (session) => {
      session.on('stream', (stream) => {
        stream.pause();
      });
    });
  },
  'says GOAWAY again and again': (name) => {
    serveSessions(name, (session) => {
      often(session, () => {
        for (let i = 0; i < 20; i += 1) session.goaway(constants.NGHTTP2_NO_ERROR, 0, Buffer.alloc(1_000));
      });
    });
  },
  'pings and changes settings again and again': (name) => {
    serveSessions(name, (session) => {
      often(session, () => {
        session.ping(() => undefined);
        if (!session.pendingSettingsAck) session.settings({ initialWindowSize: 1_000 });
      });
    });
  },
  'answers without an end': (name) => {
    serveSessions(name, (session) => {
      session.on('stream', (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        const write = (): void => {
          if (!stream.destroyed && stream.write(Buffer.alloc(64 * 1024))) setImmediate(write);
        };
        stream.on('drain', write);
        write();
      });
    });
  },
};

for (const [name, attack] of Object.entries(attacks)) attack(name);
