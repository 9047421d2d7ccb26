// Calls a gateway with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	houmao "example.com/houmao/gateway"
	"github.com/ogen-go/ogen/ogenerrors"
)

// The local user needs no token.
type noToken struct{}

func (noToken) BearerToken(context.Context, houmao.OperationName) (houmao.BearerToken, error) {
	return houmao.BearerToken{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	client, err := houmao.NewClient(os.Args[1], noToken{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	var id string

	check("a prompt is accepted", func() error {
		prompt := houmao.SubmitPromptRequest{
			Kind:    houmao.SubmitPromptRequestKindSubmitPrompt,
			Payload: houmao.SubmitPromptPayload{Prompt: "Hello from ogen"},
		}
		params := houmao.SubmitRequestParams{IdempotencyKey: houmao.NewOptString("ogen-1")}
		answer, err := client.SubmitRequest(ctx, houmao.NewSubmitPromptRequestRequestCreate(prompt), params)
		accepted, ok := answer.(*houmao.RequestAcceptedHeaders)
		if !ok {
			return fmt.Errorf("it is a %T: %v", answer, err)
		}
		id = accepted.Response.RequestID
		return nil
	})
	check("its record is completed and has the answer", func() error {
		params := houmao.GetRequestParams{RequestID: id, WaitSeconds: houmao.NewOptFloat64(30)}
		answer, err := client.GetRequest(ctx, params)
		record, ok := answer.(*houmao.RequestRecord)
		if !ok || record.State != houmao.RequestStateCompleted {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		if text := record.Turn.Value.Answer.Value.Text; !strings.Contains(text, "Hello from ogen") {
			return fmt.Errorf("the answer is %q", text)
		}
		return nil
	})
	check("an unknown request is a typed 404", func() error {
		answer, err := client.GetRequest(ctx, houmao.GetRequestParams{RequestID: "gwreq-unknown"})
		refusal, ok := answer.(*houmao.NoRequestHeaders)
		if !ok || !strings.HasPrefix(string(refusal.XHoumaoErrorCode), "unknown_request") || !strings.Contains(refusal.Response.Detail, "gwreq-unknown") {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		return nil
	})
	check("a broken rule is a typed 422", func() error {
		answer, err := client.ListRequests(ctx, houmao.ListRequestsParams{Cursor: houmao.NewOptRequestCursor("nonsense")})
		refusal, ok := answer.(*houmao.InvalidHeaders)
		if !ok || refusal.Response.Detail[0].Loc[1].String != "cursor" {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		return nil
	})
}
