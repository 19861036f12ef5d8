import * as z from 'zod';

const version = z.enum(['TLSAuto', 'TLS10', 'TLS11', 'TLS12', 'TLS13']).optional();

/**
 * What a MeshTLS says, as in Kuma. It decides whether plain text gets past all permissions: a field that is passed over
 * would lose a `Strict`.
 */
export const tlsConf = z.strictObject({
  mode: z.enum(['Strict', 'Permissive']).optional(),
  tlsVersion: z.strictObject({ min: version, max: version }).optional(),
  tlsCiphers: z
    .array(
      z.enum([
        'ECDHE-ECDSA-AES128-GCM-SHA256',
        'ECDHE-ECDSA-AES256-GCM-SHA384',
        'ECDHE-ECDSA-CHACHA20-POLY1305',
        'ECDHE-RSA-AES128-GCM-SHA256',
        'ECDHE-RSA-AES256-GCM-SHA384',
        'ECDHE-RSA-CHACHA20-POLY1305',
      ]),
    )
    .optional(),
});
