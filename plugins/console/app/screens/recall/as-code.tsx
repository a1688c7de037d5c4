import { CopyButton } from '../../kit/copy-button.tsx';
import { nodeUrl } from '../../kit/platform.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { RecallBody } from './recall-settings.ts';
import { lostInMcp, spellClientCall, spellCurl, spellMcpCall } from './spell-code.ts';

interface AsCodeProps {
  readonly body: RecallBody;
  /** Adds the name of one of the two compared settings to a title. */
  readonly named: (name: string) => string;
}

/** Shows the same question as code for a shell, a program and an agent. */
export const AsCode = ({ body, named }: AsCodeProps) => {
  const { setup, hasKey, own } = useSession('recall');
  const lost = lostInMcp(body);
  return (
    <details class="as-code">
      <summary>{own.asCode}</summary>
      <p class="hint">{hasKey ? own.asCodeHint : own.asCodeHintOpen}</p>
      <Code title={named('curl')} text={spellCurl(nodeUrl(), body, hasKey)} />
      <Code title={named(own.clientCall)} text={spellClientCall(nodeUrl(), body)} />
      {hasRoute(setup, 'POST /v1/mcp') && (
        <>
          <Code title={named(own.mcpCall)} text={spellMcpCall(body)} />
          {lost.length > 0 && <p class="hint">{fill(own.lostInMcp, { names: lost.join(', ') })}</p>}
        </>
      )}
    </details>
  );
};

const Code = ({ title, text }: { title: string; text: string }) => {
  const { own } = useSession('recall');
  return (
    <section aria-label={title}>
      <header class="code-head">
        <h3>{title}</h3>
        <CopyButton text={text} label={fill(own.copy, { what: title })} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls by itself has to be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
};
