/** What Node and Express keep of a request beside its address, which an open watch needs no more: about 2 KB. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const noNames: readonly string[] = Object.freeze([]);
const noFields = Object.freeze(Object.create(null) as Record<string, never>);
/** Members of Express: the parsed address, and the function that calls the next handler, with all that it holds. */
const ofExpress = { next: undefined, _parsedUrl: undefined };

/** Drops headers and what Express has noted of a request whose response has begun. Method and address stay. */
export function dropHead(req: IncomingMessage, res: ServerResponse): void {
  Object.assign(req, { headers: noFields, rawHeaders: noNames, ...ofExpress });
  Object.assign(res, { locals: noFields });
}
