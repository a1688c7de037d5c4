// Ends with 0 when the node of this container is healthy, and with 1 otherwise. It needs no other program.
const LIMIT_MS = 4_000;

const port = process.env.SVC_PORT || '8765';
try {
  const reply = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(LIMIT_MS) });
  process.exitCode = reply.ok ? 0 : 1;
  if (!reply.ok) console.error(`the node replies ${reply.status}`);
} catch {
  console.error('the node does not reply');
  process.exitCode = 1;
}
