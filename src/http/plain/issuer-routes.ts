/** Who issues service account tokens and with which keys, for those who check them elsewhere. */
import { issuerPaths, type IssuerDocuments } from '../../authn/service-account/issuer-discovery.ts';
import type { RequestContext } from '../context.ts';
import { sendBody, sendNotFoundPage } from '../respond.ts';
import type { PlainRoute } from './plain-route.ts';

/** Keys change rarely, and those who check tokens ask again when one is unknown to them. */
const cacheControl = 'public, max-age=3600';

/** @param documents asked at each request; undefined: there are none to tell */
export function issuerRoutes(documents: () => IssuerDocuments | undefined): PlainRoute[] {
  return [
    {
      path: issuerPaths.configuration,
      serve: (context) => {
        send(context, 'application/json', documents()?.configuration);
      },
    },
    {
      path: issuerPaths.keySet,
      serve: (context) => {
        send(context, 'application/jwk-set+json', documents()?.keySet);
      },
    },
  ];
}

function send(context: RequestContext, contentType: string, document: object | undefined): void {
  if (document === undefined) sendNotFoundPage(context);
  else sendBody(context, { code: 200, contentType, cacheControl }, Buffer.from(JSON.stringify(document)));
}
