/** A complete request with a JSON body, ready to be sent over a raw connection. */
export const postRequest = (
  key: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Buffer => {
  const text = Buffer.from(JSON.stringify(body), 'utf8');
  const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${extra.join('')}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), text]);
};
