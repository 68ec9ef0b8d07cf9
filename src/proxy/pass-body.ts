/** The body of a client's request on its way to a backend: as fast as the backend reads. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { eventLoop } from '../base/event-loop.ts';
import { MessageReading, readAll } from './message-reading.ts';
import { readOn } from './read-on.ts';
import { StalledPeer } from './stalled-peer.ts';

/**
 * Sends the body, as it comes, in a request whose head is not sent yet. Neither side outlives an early end of the body, or a
 * client that is gone while the backend does not read.
 */
export function passBody(body: IncomingMessage, sent: ClientRequest, clock: Clock): void {
  // The head must not wait for a body that comes late.
  sent.flushHeaders();
  const reading = new MessageReading();
  reading.begin(body);
  // The frames of a stream of HTTP/2 are counted with those of its connection.
  if (body.httpVersionMajor === 1) {
    reading.follow(body.socket);
    readOn(body.socket);
  }
  let isAsked = false;
  // Not at once: the chunks of one read make one piece.
  const pass = (): void => {
    if (isAsked) return;
    isAsked = true;
    eventLoop().nextTurn(passNow);
  };
  const passNow = (): void => {
    isAsked = false;
    for (let bytes = waiting(body, sent); bytes !== null; bytes = waiting(body, sent)) sent.write(bytes);
    if (isHeldBack()) peer.begin();
  };
  const end = (): void => {
    // The connection is now used for other requests.
    leave();
    sent.end();
  };
  const leave = (): void => {
    peer.close();
    reading.leave();
    body.off('readable', pass).off('end', end).off('error', stop).off('aborted', stop);
  };
  const stop = (): void => {
    leave();
    sent.destroy();
  };
  const isHeldBack = (): boolean => sent.writableNeedDrain && !sent.destroyed;
  // A connection of HTTP/2 is read on, so that its end is noticed.
  const peer = new StalledPeer({ clock, side: body.socket, isStalled: isHeldBack, onGone: stop });
  body.on('readable', pass).once('end', end);
  // A body that ends early must not look like a whole one.
  body.once('error', stop).once('aborted', stop);
  sent.on('drain', pass).once('close', leave);
  // What came before is told by no event.
  if (body.readableLength > 0) pass();
}

/** What has arrived, unless the backend does not read; null for nothing. */
function waiting(body: IncomingMessage, sent: ClientRequest): Buffer | null {
  return sent.writableNeedDrain || sent.destroyed ? null : readAll(body);
}
