import { escapedHtml } from '../../kernel/internal-api.ts';
import type { Reply } from '../../kernel/plugin-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';
import { shownHost } from './redirect-uri.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; }
fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem; }
label { display: block; padding: .15rem 0; }
input[type=password] { box-sizing: border-box; font: inherit; padding: .5rem; width: 100%; }
button, .button { border: 1px solid #8888; border-radius: .5rem; display: inline-block; font: inherit; padding: .5rem 1rem; }
button { margin: .25rem .5rem .25rem 0; }
.warning { border-left: .25rem solid #c80; padding: .25rem .75rem; }
.problem { border-left: .25rem solid #c33; padding: .25rem .75rem; }
code { overflow-wrap: anywhere; }
`;

const STYLE_SOURCE = `'sha256-${Buffer.from(sha256Hex(STYLE), 'hex').toString('base64')}'`;

export interface Page {
  readonly status: number;
  readonly title: string;
  /** The body as HTML, with every text escaped. */
  readonly body: string;
  /** The source, in a content security policy, to which a form of the page may redirect besides this node. */
  readonly formTarget?: string;
  readonly cookie?: string;
}

/** Returns a page that runs no script, appears in no frame, and stays out of caches. */
export const pageReply = ({ status, title, body, formTarget = '', cookie }: Page): Reply => ({
  status,
  contentType: 'text/html; charset=utf-8',
  headers: {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${STYLE_SOURCE}`,
      `form-action 'self' ${formTarget}`.trim(),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Under "no-referrer" a browser hides the origin of a form, and the node could not recognise its own pages.
    'Referrer-Policy': 'same-origin',
    ...(cookie !== undefined && { 'Set-Cookie': cookie }),
  },
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapedHtml(title)}</h1>
${body}
</body>
</html>
`,
});

/** Returns the page that tells a person why no access was given. With `back` it links to the client. */
export const refusalPage = (status: number, why: string, back?: string): Reply =>
  pageReply({
    status,
    title: 'No access was given',
    body: `<p class="problem">${escapedHtml(why)}</p><p>Close this page, and begin again in the program.</p>
${back === undefined ? '' : `<p><a href="${escapedHtml(back)}">Tell the program</a> at <code>${escapedHtml(shownHost(back))}</code></p>`}`,
  });
