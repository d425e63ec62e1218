import { Anchor, Box, Code, List, Table, Text, Title } from '@mantine/core'
import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type GuideName, guideLink, headingId } from './guides.ts'

/** A guide as elements, never as HTML: the policy of the page allows no inline styles, and nothing has to be trusted. */
export function Markdown({ tokens, guide }: { tokens: Token[]; guide: GuideName }) {
  return blocks(tokens, guide)
}

function blocks(tokens: Token[], guide: GuideName): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a guide keep their places
  return tokens.map((token, index) => <Block key={index} token={token} guide={guide} />)
}

function Block({ token, guide }: { token: Token; guide: GuideName }) {
  const text = (tokens: Token[] | undefined) => inline(tokens ?? [], guide)
  switch (token.type) {
    case 'heading': {
      const { depth, tokens, text: words } = token as Tokens.Heading
      return (
        <Title order={Math.min(depth, 6) as 1} id={headingId(words)} className="guide-heading">
          {text(tokens)}
        </Title>
      )
    }
    case 'paragraph': {
      const { tokens } = token as Tokens.Paragraph
      if (tokens.every(({ type }) => type === 'image')) return null
      return <Text size="sm">{text(tokens)}</Text>
    }
    case 'text':
      return text((token as Tokens.Text).tokens ?? [token])
    case 'code':
      return (
        <Code block tabIndex={0} className="guide-code">
          {(token as Tokens.Code).text}
        </Code>
      )
    case 'list': {
      const { ordered, items } = token as Tokens.List
      return (
        <List type={ordered ? 'ordered' : 'unordered'} size="sm" spacing={4}>
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a guide keep their places
            <List.Item key={index}>{blocks(item.tokens, guide)}</List.Item>
          ))}
        </List>
      )
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return (
        <Box
          className="guide-table"
          role="group"
          tabIndex={0}
          aria-label={header.map(({ text: words }) => words).join(', ')}
        >
          <Table withTableBorder verticalSpacing={4} fz="sm">
            <Table.Thead>
              <Table.Tr>
                {header.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a guide keep their places
                  <Table.Th key={index}>{text(cell.tokens)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a guide keep their places
                <Table.Tr key={at}>
                  {row.map((cell, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a guide keep their places
                    <Table.Td key={index}>{text(cell.tokens)}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      )
    }
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, guide)}</blockquote>
    default:
      return null
  }
}

function inline(tokens: Token[], guide: GuideName): ReactNode {
  return tokens.map((token, index) => {
    switch (token.type) {
      case 'strong':
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a guide keep their places
        return <strong key={index}>{inline(token.tokens ?? [], guide)}</strong>
      case 'em':
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a guide keep their places
        return <em key={index}>{inline(token.tokens ?? [], guide)}</em>
      case 'codespan':
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a guide keep their places
        return <Code key={index}>{token.text}</Code>
      case 'link':
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a guide keep their places
        return <GuideLink key={index} link={token as Tokens.Link} guide={guide} />
      case 'br':
        return ' '
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens ? inline(token.tokens, guide) : unescaped(token.text)
      default:
        return null
    }
  })
}

function GuideLink({ link, guide }: { link: Tokens.Link; guide: GuideName }) {
  const found = guideLink(link.href, guide)
  const text = inline(link.tokens, guide)
  if (found?.leaves) {
    return (
      <Anchor href={found.to} inherit underline="always">
        {text}
      </Anchor>
    )
  }
  if (found) {
    return (
      <Anchor component={Link} to={found.to} inherit underline="always">
        {text}
      </Anchor>
    )
  }
  if (!/^https:\/\//.test(link.href)) return text
  return (
    <Anchor href={link.href} target="_blank" rel="noopener noreferrer" inherit underline="always">
      {text}
    </Anchor>
  )
}

/** The lexer leaves the few entities that a guide has. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
