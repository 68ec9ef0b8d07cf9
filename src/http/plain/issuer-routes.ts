/** Service account issuer discovery: the OpenID configuration and the JSON Web Key Set (KEP-1393). */
import { issuerPaths, type IssuerDocuments } from '../../authn/service-account/issuer-discovery.ts';
import type { RequestContext } from '../request-context.ts';
import { sendBody, sendNotFoundPage } from '../respond.ts';
import type { PlainRoute } from './plain-route.ts';

/** Keys change rarely, and verifiers refetch them for an unknown key id. */
const cacheControl = 'public, max-age=3600';

/** @param documents called for each request; undefined if tokens are not issued */
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
