import { Counts } from './counts.tsx';
import { ShownText } from './shown-text.tsx';
import { useTexts } from './use-texts.ts';

/** The result of an erasure: destroyed data, data that stays on purpose, and data out of reach. */
export interface ErasureReceipt {
  readonly erased: Readonly<Record<string, unknown>>;
  readonly remains: readonly string[];
  readonly limits: readonly string[];
  readonly signed_by?: string;
  readonly signature?: string | null;
}

interface ReceiptProps {
  readonly receipt: ErasureReceipt;
  /** True for a preview, which has no signature. */
  readonly isPreview?: boolean;
}

export const Receipt = ({ receipt, isPreview = false }: ReceiptProps) => {
  const { receipt: texts } = useTexts();
  const { erased, remains, limits, signed_by: signer, signature } = receipt;
  const title = isPreview ? texts.wouldGo : texts.gone;
  return (
    <div class="receipt">
      <h3>{title}</h3>
      <Counts label={title} counts={erased} />
      <Lines title={texts.remains} lines={remains} />
      <Lines title={texts.limits} lines={limits} />
      {!isPreview && signer !== undefined && (
        <p class="muted">
          {texts.signedBy} <ShownText text={signer} /> <code class="shown">{signature}</code>
        </p>
      )}
    </div>
  );
};

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
