/** Whether the response is indented: by the parameter `pretty`, otherwise by the User-Agent. */
import type { RequestContext } from './request-context.ts';

const interactiveAgents = ['curl', 'Wget', 'Mozilla/5.0'];

export function wantsPretty(context: RequestContext): boolean {
  const asked = context.query.text === '' ? '' : context.query.get('pretty');
  if (asked !== '') return asked === '1' || asked.toLowerCase() === 'true';
  const agent = context.req.headers['user-agent'];
  return agent !== undefined && interactiveAgents.some((name) => agent.startsWith(name));
}
