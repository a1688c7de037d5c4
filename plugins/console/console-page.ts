/** The page loads only files of this node, runs no inline script, and cannot be framed. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONSOLE_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The names of the files that the page loads at once. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** Returns the page at `path`, which loads the application. It is the same for everybody: all data needs a key. */
export const consolePage = ({ script, style }: PageFiles, path: string): string => {
  const folder = folderFrom(path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}files/${style}">
<script type="module" src="${folder}files/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>
The console needs JavaScript. The same data is there without it: see <a href="${folder}../spec">the API</a>.
</noscript>
</body>
</html>
`;
};

/** Returns the relative address of `/console/`, because a proxy may serve the node below a path. */
const folderFrom = (path: string): string => {
  const [, , ...parts] = path.split('/');
  return parts.length === 0 ? 'console/' : '../'.repeat(parts.length - 1);
};
