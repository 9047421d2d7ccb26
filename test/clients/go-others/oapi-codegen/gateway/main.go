// Calls a gateway with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	houmao "example.com/houmao/gateway"
)

func main() {
	client, err := houmao.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	var id string

	check("a prompt is accepted", func() error {
		var body houmao.RequestCreate
		prompt := houmao.SubmitPromptRequest{Kind: "submit_prompt", Payload: houmao.SubmitPromptPayload{Prompt: "Hello from oapi-codegen"}}
		if err := body.FromSubmitPromptRequest(prompt); err != nil {
			return err
		}
		key := "oapi-codegen-1"
		answer, err := client.SubmitRequestWithResponse(ctx, &houmao.SubmitRequestParams{IdempotencyKey: &key}, body)
		if err != nil {
			return err
		}
		if answer.JSON202 == nil {
			return errors.New(string(answer.Body))
		}
		id = answer.JSON202.RequestId
		return nil
	})
	check("its record is completed and has the answer", func() error {
		wait := houmao.WaitSeconds(30)
		answer, err := client.GetRequestWithResponse(ctx, id, &houmao.GetRequestParams{WaitSeconds: &wait})
		if err != nil {
			return err
		}
		record := answer.JSON200
		if record == nil || record.State != houmao.RequestStateCompleted {
			return errors.New(string(answer.Body))
		}
		if !strings.Contains(record.Turn.Answer.Text, "Hello from oapi-codegen") {
			return errors.New(record.Turn.Answer.Text)
		}
		return nil
	})
	check("an unknown request is a typed 404", func() error {
		answer, err := client.GetRequestWithResponse(ctx, "gwreq-unknown", &houmao.GetRequestParams{})
		if err != nil {
			return err
		}
		if answer.JSON404 == nil || !strings.Contains(answer.JSON404.Detail, "gwreq-unknown") {
			return errors.New(string(answer.Body))
		}
		return nil
	})
	check("a broken rule is a typed 422", func() error {
		cursor := "nonsense"
		answer, err := client.ListRequestsWithResponse(ctx, &houmao.ListRequestsParams{Cursor: &cursor})
		if err != nil {
			return err
		}
		if answer.JSON422 == nil {
			return errors.New(string(answer.Body))
		}
		if name, err := answer.JSON422.Detail[0].Loc[1].AsValidationItemLoc0(); err != nil || name != "cursor" {
			return fmt.Errorf("it names %v: %v", name, err)
		}
		return nil
	})
}
