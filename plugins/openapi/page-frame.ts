import { createHash } from 'node:crypto';
import { Html, html } from './html-text.ts';

/** A page around its content. */
export const framePage = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
${content}
</body>
</html>
`.text;

/** Wide tables and commands scroll separately, so that the page fits a phone. */
const STYLE = `
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --link: #0b5fb0; }
@media (prefers-color-scheme: dark) { :root { --link: #7cb8f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; font-size: 1.05rem; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: .25rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
nav ul { columns: 18rem; padding-left: 1.25rem; overflow-wrap: anywhere; }
summary { cursor: pointer; }
`;

/** The content security policy. It forbids all resources, and all styles except the one of this module. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
